// Fields that take no more than the server does, which counts a text in characters of Unicode or in
// bytes of UTF-8. `maxlength` counts most emoji twice. The limit is in `data-max`, of bytes with
// `data-unit`.
import { lengthOf } from "./text.js";

const encoder = new TextEncoder();
const SIZES = { characters: lengthOf, bytes: (text) => encoder.encode(text).length };

/** Takes away what was typed or pasted beyond the limit. */
function cut({ target: field, isComposing }) {
  const { max, unit = "characters" } = field.dataset;
  if (max === undefined || isComposing) return;
  let excess = SIZES[unit](field.value) - max;
  if (excess <= 0) return;
  const caret = field.selectionStart;
  const before = [...field.value.slice(0, caret)];
  while (excess > 0 && before.length > 0) excess -= SIZES[unit](before.pop());
  const kept = before.join("");
  field.value = kept + field.value.slice(caret);
  field.setSelectionRange(kept.length, kept.length);
}

/** What was composed, as on most phones, is cut when it is complete. */
function complete({ target: field }) {
  if (field.dataset.max !== undefined) field.dispatchEvent(new Event("input", { bubbles: true }));
}

export function startLimits() {
  // First, so that all others read what is left.
  document.addEventListener("input", cut, { capture: true });
  document.addEventListener("compositionend", complete, { capture: true });
}
