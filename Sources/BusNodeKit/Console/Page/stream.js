// The one event stream of a browser. It runs as a shared worker, for all tabs: a browser opens few
// connections to one host, and a stream in each tab would leave none for requests. Where there is
// no such worker it runs in the tab.

const SILENCE_MAX = 40_000; // The server pings every 15 s.

const ports = new Set();
let source = null;
let hello = null; // The server's first message; null until it has come.
let revision = 0; // What the tabs have got.
let heardAt = 0;

/** Serves a tab. It joins with the revision that it has reached, and gets what came before its
 *  first message, so that it can read what lies between. */
export function serve(port) {
  port.onmessage = ({ data }) => {
    if (data.leave) leave(port);
    else join(port, data.after);
  };
  port.onclose = () => leave(port); // The tab has gone without a word.
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
  const own = new EventSource(`/api/v1/events?after=${after}`);
  [source, hello, revision, heardAt] = [own, null, after, Date.now()];
  own.onerror = () => lose(own);
  own.addEventListener("ping", () => tell({ ping: true }));
  own.addEventListener("hello", ({ data }) => {
    hello = data;
    tell({ hello, revision });
  });
  own.addEventListener("change", ({ data, lastEventId }) => {
    revision = Number(lastEventId);
    tell({ change: data });
  });
}

function close() {
  source?.close();
  source = null;
}

function tell(message) {
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

/** Why the server refuses a stream: an EventSource does not say. */
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
