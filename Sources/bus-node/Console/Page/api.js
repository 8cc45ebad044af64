// Talking to the server.
import { state } from "./state.js";

/** The server said no, and why. */
export class Refusal extends Error {}

export async function api(method, path, body) {
  const response = await fetch(`/api/v1/${path}`, {
    method, cache: "no-store", signal: AbortSignal.timeout(15_000),
    ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const date = Date.parse(response.headers.get("Date"));
  if (Math.abs(date - Date.now()) > 2000) state.skew = date - Date.now();
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const refusal = new Refusal(answer.message ?? `The console answered ${response.status}.`);
  throw Object.assign(refusal, { status: response.status, answer });
}

/** Posts again once when the link broke in between: only for what may be said twice. */
export async function postTwice(path, body) {
  try {
    return await api("POST", path, body);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return api("POST", path, body);
  }
}

/** What a failure is told as. */
export const failureText = (error) => (error instanceof Refusal ? error.message
  : "The console could not be reached: it is not known whether that arrived.");

/** A random UUID; crypto.randomUUID is missing where the page came without TLS. */
export function newID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
