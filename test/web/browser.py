"""Chromium without a window, driven over WebDriver (https://www.w3.org/TR/webdriver2/) with the standard library alone."""
import base64, json, os, shutil, subprocess, tempfile, time, urllib.error, urllib.request


class Browser:
    """with Browser(width, height) as b: ..."""

    def __init__(self, width, height):
        self.home = tempfile.mkdtemp()
        self.log = open(os.path.join(self.home, "driver.log"), "w+b")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=self.log, stderr=subprocess.STDOUT, env=dict(os.environ, HOME=self.home))
        self.session = None
        try:
            self.base = f"http://127.0.0.1:{self.port()}"
            arguments = ["--headless", f"--window-size={width},{height}", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                         "--disable-component-update", "--disable-sync", "--no-default-browser-check", "--force-device-scale-factor=1", f"--user-data-dir={self.home}/profile"]
            if os.geteuid() == 0:
                arguments.append("--no-sandbox")           # Chromium refuses to run as root with it
            answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": {"args": arguments},
                               "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
            self.session = answer["sessionId"]
            self.call("POST", self.at("timeouts"), {"script": 120000, "pageLoad": 120000})
        except BaseException:
            self.close()
            raise

    def port(self):
        for _ in range(600):
            self.log.flush()
            with open(self.log.name, errors="replace") as f:
                for line in f:
                    if "successfully on port" in line:
                        return int(line.split("port")[1].strip(" .\n"))
            if self.driver.poll() is not None:
                raise RuntimeError("chromedriver ended")
            time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def at(self, path):
        return f"/session/{self.session}/{path}"

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method, data=None if body is None else json.dumps(body).encode(), headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(json.load(e)["value"]["message"].split("\n")[0]) from None

    def open(self, path):
        self.call("POST", self.at("url"), {"url": "file://" + os.path.abspath(path)})

    def js(self, text, *args):
        """What the statements return; they have arguments[0]..."""
        return self.call("POST", self.at("execute/sync"), {"script": text, "args": list(args)})

    def until(self, text, *args, seconds=120):
        end = time.time() + seconds
        while time.time() < end:
            if self.js("return " + text, *args):
                return
            time.sleep(0.1)
        raise AssertionError(f"never true: {text} {args}")

    def frame(self):
        """Until what has been asked for is painted."""
        self.call("POST", self.at("execute/async"), {"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)));", "args": []})

    def pointer(self, x, y, click=False):
        actions = [{"type": "pointerMove", "duration": 0, "origin": "viewport", "x": round(x), "y": round(y)}]
        if click:
            actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", self.at("actions"), {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]})
        self.frame()

    def keys(self, *keys):
        self.call("POST", self.at("actions"), {"actions": [{"type": "key", "id": "keyboard", "actions": [{"type": t, "value": k} for k in keys for t in ("keyDown", "keyUp")]}]})
        self.frame()

    def log_of(self, kind):
        return self.call("POST", self.at("se/log"), {"type": kind})

    def size(self, width, height):
        self.call("POST", self.at("goog/cdp/execute"), {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}})
        self.frame()

    def cdp(self, command, **params):
        return self.call("POST", self.at("goog/cdp/execute"), {"cmd": command, "params": params})

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("GET", self.at("screenshot"))))

    def close(self):
        try:
            if self.session:
                self.call("DELETE", f"/session/{self.session}")
        except Exception:
            pass
        self.driver.terminate()
        try:
            self.driver.wait(20)
        except subprocess.TimeoutExpired:
            self.driver.kill()
            self.driver.wait()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
