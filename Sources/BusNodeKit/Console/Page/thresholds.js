// From which severity on this browser notifies, and from which it sounds: each of them is its own.
import { SEVERITIES } from "./state.js";

/** Where each is kept: a severity, or nothing where it is off. */
export const NOTIFIES = "errorbus.alerts";
export const SOUNDS = "errorbus.sound";

/** The severity that is kept; empty where it is off. */
export const thresholdOf = (place) =>
  SEVERITIES.find((severity) => severity === localStorage.getItem(place)) ?? "";

export const keepThreshold = (place, severity) => localStorage.setItem(place, severity);

/** Whether a severity is grave enough for it. */
export function passes(place, severity) {
  const least = SEVERITIES.indexOf(thresholdOf(place));
  return least >= 0 && SEVERITIES.indexOf(severity) >= least;
}

/** Earlier pages kept of the tone whether it is on, from the severity of the notifications on. */
export function readEarlierForm() {
  const kept = localStorage.getItem(SOUNDS);
  if (kept === "on") keepThreshold(SOUNDS, thresholdOf(NOTIFIES));
  if (kept === "off") keepThreshold(SOUNDS, "");
}
