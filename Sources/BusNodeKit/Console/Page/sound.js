// A short tone, made by the browser.
import { passes, SOUNDS, thresholdOf } from "./thresholds.js";

const LAST = "errorbus.toned"; // Of all tabs: one tone is enough.
const PAUSE = 2000;
const LATE = 1000; // A tone that the browser holds back for longer is left out.
const LENGTH = 0.3;
const PITCH = { ordinary: 523, critical: 988 };
const VOLUME = 0.25;

let audio = null; // Null before the first click or key.
let playing = 0; // How many tones are asked for and have not ended.

/** Whether what has this severity sounds, as far as the browser lets it. */
export const soundsFor = (severity) => audio !== null && passes(SOUNDS, severity);

/** A browser lets a page sound only after a click or a key in it. */
function wake() {
  const isAllowed = navigator.userActivation?.isActive ?? true;
  if (audio || !isAllowed || typeof AudioContext === "undefined") return;
  try {
    audio = new AudioContext();
    // Between two tones it rests; started now, it may start again by itself.
    audio.resume().then(rest).catch(() => {});
  } catch { /* No sound on this machine. */ }
}

function rest() {
  if (playing === 0) audio.suspend().catch(() => {});
}

function ended() {
  playing -= 1;
  rest();
}

/** Sounds if a severity is grave enough, higher for critical; as a trial in any case. */
export async function beep(severity, isTrial = false) {
  const isCritical = severity === "critical";
  if (isTrial) wake();
  if (!audio || !(isTrial || (soundsFor(severity) && isDue(isCritical)))) return;
  const asked = performance.now();
  playing += 1;
  try {
    await audio.resume();
    if (performance.now() - asked > LATE) throw new Error("too late");
    sound(isCritical ? PITCH.critical : PITCH.ordinary);
  } catch { // The browser held it back.
    ended();
  }
}

/** Whether no tone was just made here or in another tab; what is critical waits for no other. */
function isDue(isCritical) {
  const place = `${LAST}.${isCritical ? "critical" : "any"}`;
  const time = Date.now();
  const past = time - Number(localStorage.getItem(place));
  if (past >= 0 && past < PAUSE) return false;
  localStorage.setItem(place, String(time));
  return true;
}

function sound(pitch) {
  const [tone, gain, start] = [audio.createOscillator(), audio.createGain(), audio.currentTime];
  tone.frequency.value = pitch;
  // A tone that begins or ends at once cracks.
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(VOLUME, start + 0.02);
  gain.gain.linearRampToValueAtTime(0, start + LENGTH);
  tone.connect(gain).connect(audio.destination);
  tone.onended = ended;
  tone.start(start);
  tone.stop(start + LENGTH);
}

export function startSound() {
  for (const event of ["click", "keydown"]) {
    addEventListener(event, () => { if (thresholdOf(SOUNDS)) wake(); }, { capture: true });
  }
}
