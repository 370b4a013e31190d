"""What a person sees while a fit runs: scikit-learn's callbacks where the installed version has them, and a bar."""

import sys
import time

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method):
        """Stands in where scikit-learn has no callbacks."""
        return method


#: Seconds between two lines where there is no bar.
PAUSE = 2.0
WIDTH = 24


class Bar:
    """A bar on standard error: redrawn on terminals and in notebooks, a line now and then elsewhere."""

    def __init__(self, name, stream=None):
        self.name = name
        self.stream = sys.stderr if stream is None else stream
        self.drawn = self.stream.isatty() or "ipykernel" in sys.modules
        self.last = time.monotonic()
        self.shown = 0

    def step(self, phase, epoch, of, loss, train_error, valid_error):
        """Shows one epoch or step."""
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
        """Ends the line of the bar."""
        if self.drawn and self.shown:
            self.stream.write("\n")
            self.stream.flush()


class Watch:
    """Progress of one fit, told to callbacks and to the bar."""

    def __init__(self, estimator, X, y):
        self.estimator, self.data = estimator, {"X": X, "y": y}
        self.bar = Bar(type(estimator).__name__) if estimator.verbose else None
        self.context = None
        if hasattr(estimator, "_init_callback_context"):
            self.context = estimator._init_callback_context(max_subtasks=None)
            self.context.call_on_fit_task_begin(estimator=estimator, **self.data)

    @property
    def report(self):
        """What the library calls after every epoch; None where nobody watches."""
        called_back = self.context is not None and getattr(self.estimator, "_skl_callbacks", None)
        return self.step if self.bar or called_back else None

    def step(self, *told):
        """One epoch or step is over; true where a callback asks to stop."""
        if self.bar:
            self.bar.step(*told)
        if self.context is None:
            return False
        task = self.context.subcontext(task_name="epoch")
        task.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        return bool(task.call_on_fit_task_end(estimator=self.estimator, **self.data))

    def done(self):
        """The fit is over and the estimator fitted."""
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.estimator, **self.data, reconstruction_attributes={})

    def close(self):
        """Ends the bar, however the fit ended."""
        if self.bar:
            self.bar.close()
