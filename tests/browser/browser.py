"""A headless Chromium over its own pipe: the DevTools protocol with nothing but the standard library."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def find():
    """The browser that PROTEA_BROWSER names, or one that is installed; none without."""
    return os.environ.get("PROTEA_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page at a time; what it complains about is kept in `complaints`."""

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        flags = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-extensions", "--remote-debugging-pipe",
                 f"--user-data-dir={self.folder.name}", "--hide-scrollbars", "--force-color-profile=srgb"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")
        # The browser reads commands from descriptor 3 and answers on 4.
        script = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(
            ["bash", "-c", script, binary, *flags, "about:blank"], pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.read, self.write, self.rest, self.number = ours_in, ours_out, b"", 0
        self.complaints, self.requests, self.session = [], [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.read)
        os.close(self.write)
        self.folder.cleanup()

    def call(self, method, **params):
        """Result of a command."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.note(answer)

    def receive(self, deadline):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.read], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.read, 1 << 16)
            if not more:
                raise TimeoutError("the browser has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def note(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"])[:500])
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(json.dumps(params["args"])[:500])
        if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def open(self, path, width=1280, height=900, dark=False):
        """Opens a file and waits until its script has checked itself, or there is nothing to check."""
        self.complaints.clear()
        self.requests.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.until("location.protocol === 'file:' && document.readyState === 'complete'")
        self.until("!document.getElementById('model') || !!document.getElementById('check').dataset.same")

    def run(self, script):
        """Value of an expression on the page."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def until(self, script, seconds=30):
        deadline = time.monotonic() + seconds
        while not self.run(script):
            assert time.monotonic() < deadline, f"never true: {script}"
            time.sleep(0.05)

    def settle(self):
        """Waits for what the last event has caused to be drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def stroke(self, points):
        """Draws through points of the window with the left button of the mouse."""
        (x, y), *more = points
        button = {"button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, buttons=1, **button)
        for x, y in more:
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, buttons=1, **button)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, buttons=0, **button)
        self.settle()

    def press(self, key, text=""):
        code = {"ArrowDown": 40, "ArrowRight": 39, "ArrowLeft": 37, "Enter": 13, "Tab": 9, " ": 32, "Delete": 46}.get(key, 0)
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))
        self.settle()

    def screenshot(self):
        """The whole page as PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 9000), "scale": 1}
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"])
