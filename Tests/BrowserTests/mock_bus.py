"""The nodes and links of a bus that is made up; a test changes their states."""
import threading
import time

NODES = [
    {"name": "central", "next": [], "listen": ["tcp://127.0.0.1:7700"], "state": "up"},
    {"name": "relay", "next": ["central", "standby"], "state": "up",
     "listen": ["tcp://127.0.0.1:7701", "ipc:///run/errorbus/relay"]},
    {"name": "relay-us", "next": ["central"], "listen": ["tcp://127.0.0.1:7702"],
     "state": "unreachable"},
    {"name": "worker-1", "next": ["relay"], "listen": [], "state": "up"},
    {"name": "worker-2", "next": ["relay"], "listen": [], "state": "up"},
    {"name": "worker-3", "next": ["relay-us"], "listen": [], "state": "unknown"},
    {"name": "standby", "next": [], "listen": ["tcp://127.0.0.1:7710"], "state": "unknown"},
]
LINKS = [
    {"child": "relay", "parent": "central", "state": "up"},
    {"child": "relay", "parent": "standby", "state": "unknown"},
    {"child": "relay-us", "parent": "central", "state": "down"},
    {"child": "worker-1", "parent": "relay", "state": "up"},
    {"child": "worker-2", "parent": "relay", "state": "up"},
    {"child": "worker-3", "parent": "relay-us", "state": "unknown"},
    {"child": "nightly-import", "parent": "central", "state": "up"},
]


class MockBus:
    def __init__(self):
        self.lock = threading.Lock()
        self.nodes = {node["name"]: {**node, "openCount": None} for node in NODES}
        self.links = [{**link, "openCount": None, "since": time.time() - 754} for link in LINKS]

    def change(self, body):
        """Its keys: nodes {name: state}, links {"child parent": state}, add [name], strangers n."""
        with self.lock:
            for name in body.get("add", []):
                self.nodes[name] = {"name": name, "next": ["relay"], "listen": [], "state": "up",
                                    "openCount": 3}
                self.links.append({"child": name, "parent": "relay", "state": "up",
                                   "openCount": 3, "since": time.time() - 9})
            for number in range(body.get("strangers", 0)):
                self.links.append({"child": f"import-{number}", "parent": "central",
                                   "state": "up", "openCount": 1, "since": time.time()})
            for name, state in body.get("nodes", {}).items():
                self.nodes[name]["state"] = state
            for link in self.links:
                state = body.get("links", {}).get(f"{link['child']} {link['parent']}")
                if state:
                    link.update(state=state, since=time.time())
        return {}

    def topology(self, open_count):
        with self.lock:
            nodes = [dict(node) for node in self.nodes.values()]
            links = [dict(link) for link in self.links]
        for node in nodes:
            if node["name"] in ("central", "relay"):
                node["openCount"] = open_count
        for link in links:
            is_known = link["state"] != "unknown"
            age = int((time.time() - link.pop("since")) * 1000)
            link["sinceMilliseconds"] = age if is_known else None
            if link["child"] == "relay" and is_known:
                link["openCount"] = open_count
        return {"nodes": nodes, "links": links}
