"""Progress of a fit: scikit-learn's callbacks if the installed version has them, and a progress bar."""

import sys
import time

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:
        """Fallback for versions of scikit-learn without callbacks."""

    def with_callbacks(method):
        """Fallback for versions of scikit-learn without callbacks."""
        return method


#: Seconds between two lines if there is no bar.
PAUSE = 2.0
WIDTH = 24


class Bar:
    """A progress bar on standard error: redrawn on terminals and in notebooks, occasional lines elsewhere."""

    def __init__(self, name, stream=None):
        self.name = name
        self.stream = sys.stderr if stream is None else stream
        self.drawn = self.stream.isatty() or "ipykernel" in sys.modules
        self.last = time.monotonic()
        self.shown = 0

    def step(self, phase, epoch, of, loss, train_error, valid_error):
        """Show one epoch or step."""
        now = time.monotonic()
        if now - self.last < (0.1 if self.drawn else PAUSE) and epoch < of:
            return
        self.last = now
        text = f"{self.name} {phase} {epoch}/{of}  loss {loss:.5g}  error {100 * train_error:.2f} %"
        if valid_error is not None:
            text += f"  validation {100 * valid_error:.2f} %"
        if self.drawn:
            done = round(WIDTH * epoch / max(of, 1))
            text = f"[{'=' * done}{' ' * (WIDTH - done)}] {text}"
            self.stream.write("\r" + text.ljust(self.shown))
            self.shown = len(text)
        else:
            self.stream.write(text + "\n")
        self.stream.flush()

    def close(self):
        """End the line of the bar."""
        if self.drawn and self.shown:
            self.stream.write("\n")
            self.stream.flush()


class Watch:
    """Reports the progress of one fit to callbacks and to the bar."""

    def __init__(self, estimator, X, y):
        self.estimator, self.data = estimator, {"X": X, "y": y}
        self.bar = Bar(type(estimator).__name__) if estimator.verbose else None
        self.context = None
        if hasattr(estimator, "_init_callback_context"):
            self.context = estimator._init_callback_context(max_subtasks=None)
            self.context.call_on_fit_task_begin(estimator=estimator, **self.data)

    @property
    def report(self):
        """Function that the library calls after every epoch; None if nothing observes the fit."""
        called_back = self.context is not None and getattr(self.estimator, "_skl_callbacks", None)
        return self.step if self.bar or called_back else None

    def step(self, *told):
        """Report one epoch or step; returns true if a callback asks to stop."""
        if self.bar:
            self.bar.step(*told)
        if self.context is None:
            return False
        task = self.context.subcontext(task_name="epoch")
        task.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        return bool(task.call_on_fit_task_end(estimator=self.estimator, **self.data))

    def done(self):
        """Report that the fit has finished."""
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.estimator, **self.data, reconstruction_attributes={})

    def close(self):
        """End the bar, however the fit ended."""
        if self.bar:
            self.bar.close()
