// The one event stream of a browser. It runs as a shared worker, for all tabs: a browser opens few
// connections to one host, and a stream in each tab would leave none for requests. In a browser
// without shared workers it runs in the tab.

const SILENCE_MAX = 40_000; // The server pings every 15 s.

const ports = new Set();
let source = null;
let hello = null; // The server's first message, for tabs that join later; null before it.
let revision = 0; // The revision that the tabs have reached.
let heardAt = 0;

/** Serves a tab. It joins with the revision that it has reached, and gets the revision before its
 *  first message, so that it can read the changes between. */
export function serve(port) {
  port.onmessage = ({ data }) => {
    if (data.leave) leave(port);
    else join(port, data.after);
  };
  port.onclose = () => leave(port); // The tab has gone without leaving the stream.
}

function join(port, after) {
  ports.add(port);
  if (!source) open(after);
  else if (hello) port.postMessage({ hello, revision });
}

function leave(port) {
  ports.delete(port);
  if (ports.size === 0) close();
}

function open(after) {
  const own = new EventSource(`/api/v1/events?after=${after}&groups=none`);
  [source, hello, revision, heardAt] = [own, null, after, Date.now()];
  own.onerror = () => lose(own);
  own.addEventListener("ping", () => send({ ping: true }));
  own.addEventListener("hello", ({ data }) => {
    // Of a reset a tab that joins later hears with its own list.
    hello = JSON.stringify({ ...JSON.parse(data), isReset: false });
    send({ hello: data, revision });
  });
  own.addEventListener("change", ({ data, lastEventId }) => {
    revision = Number(lastEventId);
    send({ change: data });
  });
}

function close() {
  source?.close();
  source = null;
}

function send(message) {
  heardAt = Date.now();
  for (const port of ports) port.postMessage(message);
}

/** Ends the stream for all tabs: each of them joins again. */
async function lose(own) {
  if (source !== own) return;
  close();
  const left = [...ports];
  ports.clear();
  const refusal = hello ? null : await refusalOf();
  for (const port of left) port.postMessage({ lost: true, refusal });
}

/** The reason why the server refuses a stream, which an EventSource does not have. */
async function refusalOf() {
  try {
    const response = await fetch("/api/v1/events", { signal: AbortSignal.timeout(5000) });
    if (!response.ok) return { status: response.status, ...await response.json() };
    response.body.cancel();
  } catch { /* No link: no server to say why. */ }
  return null;
}

setInterval(() => {
  if (source && Date.now() - heardAt > SILENCE_MAX) lose(source);
}, 5000);

if (typeof SharedWorkerGlobalScope !== "undefined") {
  globalThis.onconnect = ({ ports: [port] }) => serve(port);
}
