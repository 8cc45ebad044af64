"""A headless Chromium, as Debian packages it, and how the tests look at the page with it."""
import multiprocessing.util
import shutil
import sys
import time

try:
    from selenium import webdriver
    from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    sys.exit("selenium is missing. Run: scripts/python -m pip install selenium")

PATIENCE = 120


def program(*names):
    found = next(filter(None, map(shutil.which, names)), None)
    return found or sys.exit(f"{names[0]} is missing. Run: scripts/setup browser")


# Chromium, and its build without windows, which takes a third less of the processors.
WHOLE = ("chromium", "chromium-browser", "google-chrome")
# Not by its name: that is a script of Debian's that waits for the browser, and the driver ends what
# it has started.
SHELL = ("/usr/lib/chromium/chromium-headless-shell", *WHOLE)
# In a script: what gives one of the page's modules, from the path that has their version.
LOAD = ("const load = (name) => import(new URL(`${name}.js`,"
        " document.querySelector('script[type=module]').src)); ")
# In the log when the network of the machine changes, as with each container that comes or goes.
MACHINE = ["ERR_NETWORK_CHANGED"]
# Browsers of this process that no page uses: to start one costs as much as a short case.
idle = {WHOLE: [], SHELL: []}


def started(kind):
    options = webdriver.ChromeOptions()
    options.binary_location = program(*kind)
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                 "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # In a process of a pool `atexit` runs nothing, and what was there before it began is dropped.
    multiprocessing.util.Finalize(None, end_idle, exitpriority=0)
    return webdriver.Chrome(options=options, service=Service(program("chromedriver")))


def emptied(driver):
    """The browser with one new tab, and nothing kept of what its former tabs did: a tab's own
    settings (size, network, time zone, scripts) go with the tab."""
    former = driver.window_handles
    driver.switch_to.new_window("tab")
    tab = driver.current_window_handle
    for each in former:
        driver.switch_to.window(each)
        driver.close()
    driver.switch_to.window(tab)
    for command, arguments in (
            ("Page.bringToFront", {}),
            ("Browser.resetPermissions", {}),
            ("Browser.setDownloadBehavior", {"behavior": "default"}),
            ("Network.clearBrowserCookies", {}),
            ("Network.clearBrowserCache", {}),
            ("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})):
        driver.execute_cdp_cmd(command, arguments)
    driver.get_log("browser")
    return driver


def end_idle():
    for drivers in idle.values():
        while drivers:
            drivers.pop().quit()


class Page:
    """One window onto a console, in a browser of its own while it is open."""

    keys = Keys

    def __init__(self, width=1280, height=800, scheme="light", kind=SHELL):
        self.kind = kind
        self.driver = idle[kind].pop() if idle[kind] else started(kind)
        self.expected = []
        self.resize(width, height, scheme)

    def expects(self, *texts):
        """What a case brings about by itself may be in the browser's log: 409, ERR_."""
        self.expected += texts

    def resize(self, width, height, scheme="light", scale=1):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, url):
        self.driver.get(url)
        self.until(lambda: self.text("#link") == "live", "the page to be linked")

    def go(self, view):
        self.run("location.hash = arguments[0]", f"#/{view}")

    def rest(self):
        """Waits until nothing moves, and what follows a resize is drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0];"
            "requestAnimationFrame(() => requestAnimationFrame(() => done()))")
        self.until(lambda: self.run("return document.getAnimations().every("
                                    "(each) => each.playState === 'finished')"), "it to rest")

    def second_tab(self, url):
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.open(url)
        return first, self.driver.current_window_handle

    def hide(self, url):
        """Opens another tab, which hides this one and has it as its `opener`: a tab that the driver
        turns to is shown. Only in windows does a tab hide another: cases that `hides` get them."""
        before = set(self.driver.window_handles)
        self.run("window.open(arguments[0])", url)
        self.until(lambda: set(self.driver.window_handles) - before, "the tab")
        [tab] = set(self.driver.window_handles) - before
        self.driver.switch_to.window(tab)
        self.until(lambda: self.text("#link") == "live", "the page to be linked")
        self.until(lambda: self.run("return opener.document.hidden"), "the other tab to be hidden")

    def until(self, condition, what=None, seconds=PATIENCE):
        """Waits for what the page does by itself; what it never does fails the test. All that a
        case says of the page it says through here: what was clicked is drawn a moment later.
        `what` is a text, or gives one of what was found in the end."""
        end = time.monotonic() + seconds
        while True:
            found = condition()
            if found:
                return found
            if time.monotonic() > end:
                found = what() if callable(what) else what or "the condition above"
                raise AssertionError(f"waited {seconds} s for {found}")
            time.sleep(0.05)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def part(self, module, expression):
        """What an expression gives over the exports of one of the page's modules."""
        return self.driver.execute_async_script(
            f"const done = arguments[0]; {LOAD} load('{module}')"
            f".then((part) => done({expression}), (error) => done(String(error)));")

    def text(self, selector):
        """What is shown of the first match; empty when there is none or it is hidden."""
        return self.run("const node = document.querySelector(arguments[0]);"
                        "return node?.checkVisibility() ? node.innerText : ''", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])]"
                        ".filter((node) => node.checkVisibility())"
                        ".map((node) => node.innerText)", selector)

    def overflows(self):
        """Whether something is wider than the part in which it scrolls."""
        parts = "html, .page, #detail, .decide, dialog[open]"
        return self.run("return [...document.querySelectorAll(arguments[0])]"
                        ".some((node) => node.scrollWidth > node.clientWidth + 1)", parts)

    def click(self, selector, containing=""):
        def clicked():
            nodes = self.driver.find_elements(By.CSS_SELECTOR, selector)
            try:
                node = next(node for node in nodes if node.is_displayed() and node.is_enabled()
                            and node.get_attribute("aria-disabled") != "true"
                            and containing in node.get_attribute("textContent"))
                if "data-option" in selector and not self.is_read():
                    return False
                node.click()
                return True
            except (StopIteration, StaleElementReferenceException):
                return False  # The page drew again in between.
        self.until(clicked, f"{selector} with \"{containing}\"")

    def press(self, *keys):
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def chord(self, modifier, key):
        """Presses a key while a modifier is held down."""
        ActionChains(self.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def row(self, text):
        """Waits until a row of the list shows the text."""
        self.until(lambda: any(text in row for row in self.texts("#list .row")), f"a row: {text}")

    def choose(self, text):
        """Opens a row, and waits until it was on the screen long enough to be answered."""
        self.row(text)
        self.click("#list .row", text)
        self.shown(text)

    def is_read(self):
        """Whether what is shown has been on the screen long enough to be answered."""
        return self.part("state", "performance.now() - part.state.shownAt > 400")

    def read(self):
        self.until(self.is_read, "the time to read it")

    def shown(self, text):
        self.until(lambda: text in self.text("#title"), f"the detail of {text}")
        self.read()

    def download_to(self, folder):
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {
            "behavior": "allow", "downloadPath": str(folder)})

    def downloaded(self, folder, ending):
        """The text of the one download with this ending. Its file is there before its content."""
        [file] = self.until(
            lambda: [file for file in folder.glob(f"*.{ending}") if file.stat().st_size],
            f"the export as {ending}")
        return file.read_text(encoding="utf-8-sig")

    def sign(self, name):
        """Answers the dialog for the name."""
        self.until(lambda: self.text("#nameDialog"), "the dialog for a name")
        self.press(*name, Keys.ENTER)
        self.until(lambda: not self.text("#nameDialog"), "the name to be taken")

    def complaints(self):
        """What is severe in the browser's log and was not to be expected."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE"
                and not any(text in entry["message"] for text in self.expected + MACHINE)]

    def save(self, path):
        self.driver.save_screenshot(str(path))

    def close(self):
        """Leaves the browser to the next page; ends it where it does not become empty."""
        try:
            idle[self.kind].append(emptied(self.driver))
        except WebDriverException:
            self.quit()

    def quit(self):
        self.driver.quit()
