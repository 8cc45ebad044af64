// Requests to the server.
import { state } from "./state.js";

/** A refusal of the server, with its reason. */
export class Refusal extends Error {}

export async function api(method, path, body) {
  const begin = Date.now();
  const response = await fetch(`/api/v1/${path}`, {
    method, cache: "no-store", signal: AbortSignal.timeout(15_000),
    ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  }).catch((error) => {
    if (error.name === "TimeoutError") state.unanswered += 1;
    throw error;
  });
  // Without its token the page has no link, whatever the stream reports.
  state.unanswered = response.status === 401 ? Infinity : 0;
  setClock(begin, Date.parse(response.headers.get("Date")));
  const answer = await response.text().then(parsed).catch(() => ({}));
  if (response.ok) return answer;
  const refusal = new Refusal(answer.message ?? `The console answered ${response.status}.`);
  throw Object.assign(refusal, { status: response.status, answer });
}

/** The JSON of a reply. In a report's context whole numbers keep all of their digits, where the
 *  browser can do that: JavaScript's own numbers have about 16. */
function parsed(text) {
  const answer = JSON.parse(text);
  if (answer?.report?.userInfo && JSON.rawJSON) {
    answer.report.userInfo = JSON.parse(text, exactly).report.userInfo;
  }
  return answer;
}

const exactly = (_, value, context) => (typeof value === "number" && !Number.isSafeInteger(value)
  && /^-?\d+$/.test(context.source) ? JSON.rawJSON(context.source) : value);

/** The digits of a number that was kept in that way; any other value as it is. */
export const digitsOf = (value) => (JSON.isRawJSON?.(value) ? value.rawJSON : value);

const SAMPLES = 5;
let samples = [];

/** The server's clock, from the fastest of the last responses; a slow one is too inexact. */
function setClock(begin, date) {
  const end = Date.now();
  const took = end - begin;
  if (!(took >= 0 && took < 1000) || Number.isNaN(date)) return;
  samples = [...samples, { took, offset: date - end }].slice(-SAMPLES);
  const { offset } = samples.reduce((a, b) => (b.took <= a.took ? b : a));
  state.skew = Math.abs(offset) > 2000 ? offset : 0;
}

/** Posts again once when the link broke meanwhile: only for requests that may be repeated. */
export async function postTwice(path, body) {
  try {
    return await api("POST", path, body);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return api("POST", path, body);
  }
}

const PARALLEL = 4;

/** Does the work for each value, for a few of them at a time. */
export async function inParallel(values, work) {
  const queue = [...values];
  const next = async () => { while (queue.length > 0) await work(queue.shift()); };
  await Promise.all(Array.from({ length: PARALLEL }, next));
}

/** The text for a failure. */
export const failureText = (error) => (error instanceof Refusal ? error.message
  : "The console could not be reached. The request may or may not have arrived.");

/** A random UUID; crypto.randomUUID is missing on a page without TLS. */
export function newID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
