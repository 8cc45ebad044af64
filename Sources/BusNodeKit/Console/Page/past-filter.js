// What the history and the audit are searched for: the terms of a text, as conditions of the
// server's search.
import { notApplied, partsOf, split, textOf, unquoted, wordsOf } from "./filter.js";
import { now, SEVERITIES, timeZone } from "./state.js";
import { shown } from "./text.js";

const UNITS = { min: 60_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const TIMES = ["since", "until"];
const EXAMPLES = "since:7d, since:2026-11-01, until:2026-11-02T10:00";
const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;

// What the server takes for the value of a term; null for one that is not applied.
const KINDS = new Map([
  ["by", plain], ["origin", plain], ["domain", plain], ["option", plain],
  // The list says "left open" for what the server calls "left".
  ["end", (value) => plain(value === "left open" ? "left" : value)],
  ["severity", (value) => (SEVERITIES.includes(value.replace(/^>=/, "")) ? value : null)],
  ["since", (value) => timeOf(value, 0)], ["until", (value) => timeOf(value, 1)],
]);

function plain(value) { return value || null; }

/** A time as the server takes it: a day or a time in the page's zone, or how long ago. Of a day its
 *  beginning, or its end. */
function timeOf(value, days) {
  const text = value.toUpperCase();
  const [, count, unit] = /^(\d{1,4})(MIN|M|H|D|W)$/.exec(text) ?? [];
  if (count) return new Date(now() - count * UNITS[unit.toLowerCase()]).toISOString();
  if (!DAY.test(text) && !TIME.test(text)) return null;
  const isUTC = Boolean(timeZone());
  const zone = isUTC && !TIME.exec(text)?.[3] ? "Z" : "";
  const date = new Date((DAY.test(text) ? `${text}T00:00` : text) + zone);
  if (Number.isNaN(date.getTime())) return null;
  if (DAY.test(text) && isUTC) date.setUTCDate(date.getUTCDate() + days);
  else if (DAY.test(text)) date.setDate(date.getDate() + days);
  return date.toISOString();
}

/** The search of a list of the past: how its text is read, and how the server is asked for it. Of
 *  each kind of term the last one counts: the server takes one. With `isQuoted` the quotation marks
 *  of a text are searched too. */
function searchOf(kinds, help, isQuoted) {
  const termOf = (word) => {
    const parts = partsOf(word, kinds);
    return parts && { ...parts, value: kinds.get(parts.kind)(parts.text) };
  };

  function lastOfKinds(terms) {
    const byKind = new Map(terms.map((word) => [termOf(word).kind, word]));
    return terms.filter((word) => byKind.get(termOf(word).kind) === word);
  }

  /** The query of the server's search, for so many of them, from the newest before a page's end. */
  function query({ terms, typed, before }, limit) {
    const fields = new URLSearchParams({ limit });
    for (const { kind, value } of terms.map(termOf)) if (value !== null) fields.set(kind, value);
    const text = (isQuoted ? typed : unquoted(typed)).trim();
    if (text) fields.set("q", text);
    if (before) fields.set("until", before);
    return fields;
  }

  function noteOn(word) {
    const term = termOf(word);
    const quoted = `“${shown(word, 60)}”`;
    if (term && term.value === null) {
      if (!TIMES.includes(term.kind)) return notApplied(quoted, term.kind);
      return `${quoted} is not applied: its value is a day, a time or an age, such as 2026-11-01, `
        + "2026-11-01T10:00, 7d.";
    }
    const isAlmost = !term && /^[a-z]+:/i.test(word);
    return isAlmost ? `${quoted} is searched as text. The search understands ${help}.` : null;
  }

  return {
    help, termOf, lastOfKinds, query,
    isApplied: (word) => termOf(word)?.value != null,
    /** What a text of the search means. */
    split: (text) => {
      const { terms, typed } = split(text, termOf);
      return { terms: lastOfKinds(terms), typed };
    },
    /** What a person should know of the search: terms that are not applied, and words that look
     *  like terms and are text. */
    notes: (search) => wordsOf(textOf(search)).map(noteOn).filter(Boolean).join(" "),
  };
}

// An event has neither a severity nor an end.
const EVENT_KINDS = new Map([...KINDS].filter(([kind]) => !["severity", "end"].includes(kind)));

/** The searches of the views that have one. */
export const SEARCHES = {
  history: searchOf(KINDS, "by:ann, origin:worker-*, domain:com.acme.*, option:retry, "
    + `severity:critical, severity:>=error, end:recovered, ${EXAMPLES}`, false),
  audit: searchOf(EVENT_KINDS, "by:ann, origin:worker-*, domain:com.acme.*, option:retry, "
    + EXAMPLES, true),
};
