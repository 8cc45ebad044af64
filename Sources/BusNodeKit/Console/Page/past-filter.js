// What the history is searched for: the terms of its text, as conditions of the server's search.
import { partsOf, split, textOf, unquoted, wordsOf } from "./filter.js";
import { now, SEVERITIES } from "./state.js";
import { shown } from "./text.js";

const UNITS = { min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const TIMES = ["since", "until"];
const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;

// What the server takes for the value of a term; null for one that is not applied.
const KINDS = new Map([
  ["by", plain], ["origin", plain], ["domain", plain], ["option", plain],
  ["end", plain],
  ["severity", (value) => (SEVERITIES.includes(value) ? value : null)],
  ["since", (value) => timeOf(value, 0)], ["until", (value) => timeOf(value, 1)],
]);

/** Everything that the search understands beside text. */
export const PAST_TERMS = "by:ann, origin:worker-*, domain:com.acme.*, option:retry, "
  + "severity:critical, end:recovered, since:7d, since:2026-11-01, until:2026-11-02T10:00";

function plain(value) { return value || null; }

/** A time as the server takes it: a day or a time in this browser's zone, or how long ago. Of a day
 *  its beginning, or its end. */
function timeOf(value, days) {
  const text = value.toUpperCase();
  const [, count, unit] = /^(\d{1,4})(MIN|H|D|W)$/.exec(text) ?? [];
  if (count) return new Date(now() - count * UNITS[unit.toLowerCase()]).toISOString();
  if (!DAY.test(text) && !TIME.test(text)) return null;
  const date = new Date(DAY.test(text) ? `${text}T00:00` : text);
  if (Number.isNaN(date.getTime())) return null;
  if (DAY.test(text)) date.setDate(date.getDate() + days);
  return date.toISOString();
}

/** What a word means as a term of the search; null when it is text. */
export function pastTerm(word) {
  const parts = partsOf(word, KINDS);
  return parts && { ...parts, value: KINDS.get(parts.kind)(parts.text) };
}

export const isPastApplied = (word) => pastTerm(word)?.value != null;

/** The terms of which the last of each kind counts: the server takes one. */
export function lastOfKinds(terms) {
  const byKind = new Map(terms.map((word) => [pastTerm(word).kind, word]));
  return terms.filter((word) => byKind.get(pastTerm(word).kind) === word);
}

/** What a text of the search means. */
export function splitPast(text) {
  const { terms, typed } = split(text, pastTerm);
  return { terms: lastOfKinds(terms), typed };
}

/** The query of the server's search, for so many of them, from the newest before a page's end. */
export function pastQuery({ terms, typed, before }, limit) {
  const query = new URLSearchParams({ limit });
  for (const { kind, value } of terms.map(pastTerm)) if (value !== null) query.set(kind, value);
  const text = unquoted(typed).trim();
  if (text) query.set("q", text);
  if (before) query.set("until", before);
  return query;
}

/** What a person should know of the search: terms that are not applied, and words that look like
 *  terms and are text. */
export const pastNotes = (search) =>
  wordsOf(textOf(search)).map(noteOn).filter(Boolean).join(" ");

function noteOn(word) {
  const term = pastTerm(word);
  const quoted = `“${shown(word, 60)}”`;
  if (term && term.value === null) {
    const allowed = term.kind === "severity" ? SEVERITIES.join(", ")
      : TIMES.includes(term.kind) ? "a day, a time or an age: 2026-11-01, 2026-11-01T10:00, 7d"
        : "a text, with * for any characters";
    return `${quoted} is not applied: its value is ${allowed}.`;
  }
  const isAlmost = !term && /^[a-z]+:/i.test(word);
  return isAlmost ? `${quoted} is searched as text. The search understands ${PAST_TERMS}.` : null;
}
