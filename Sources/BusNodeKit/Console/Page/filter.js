// The filter of the inbox: what its text means, and which presentations it lets through.
import { myName, SEVERITIES, state } from "./state.js";
import { claimant, isClaimedByMe, isMine, isNear } from "./store.js";
import { counted, optionTitle, shown } from "./text.js";
import { isOwn, proposalOf } from "./two-people.js";

/** The characters of a filter, in the address and in a saved view. */
export const FILTER_MAX = 300;

const WORDS = /[a-z]+:"[^"]*"|"[^"]*"|\S+/gi;

// What the value of a term makes of it: a test; null for a value that cannot be one.
const KINDS = new Map([
  ["severity", severityTest],
  ["origin", likeTest((item) => item.origin ?? state.node)],
  ["via", anyTest((item) => [item.origin ?? state.node, ...item.path])],
  ["domain", likeTest((item) => item.domain)],
  ["code", likeTest((item) => item.code ?? "")],
  ["group", likeTest((item) => item.groupKey)],
  ["claimed", anyTest((item) => [claimant(item)].filter(Boolean))],
  // What was chosen; before that, what can be.
  ["option", anyTest(({ answer, options }) => (answer ? [answer.option] : options.map(idOf)))],
]);
const FLAGS = new Map([
  ["mine", isForMe], ["unclaimed", (item) => !claimant(item)], ["expiring", isNear],
  ["proposed", (item) => Boolean(proposalOf(item))],
]);

/** Everything that the filter understands beside text. */
export const TERMS = "severity:critical, severity:>=error, origin:worker-*, via:relay-eu, "
  + "domain:com.acme.*, code:28, group:5b1c0d1a3f7e9b22, claimed:ann, option:retry, mine, "
  + "unclaimed, proposed, expiring";

function severityTest(value) {
  const [, least, name] = /^(>=)?(.*)$/.exec(value);
  const rank = SEVERITIES.indexOf(name);
  if (rank < 0) return null;
  return (item) => (least ? SEVERITIES.indexOf(item.severity) >= rank : item.severity === name);
}

function likeTest(pick) {
  return anyTest((item) => [pick(item)]);
}

/** A test whether one of several texts is like the value. */
function anyTest(pick) {
  return (value) => {
    const parts = value.toLowerCase().split("*");
    return value === "" ? null
      : (item) => pick(item).some((text) => isLike(String(text).toLowerCase(), parts));
  };
}

function idOf({ id }) { return id; }

/** Whether a text is made of these parts, with anything between them. */
function isLike(text, parts) {
  const [first, last] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return text === first;
  let at = first.length;
  if (!text.startsWith(first)) return false;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function isForMe(item) {
  return isClaimedByMe(item) || isMine(item) || isOwn(proposalOf(item));
}

export const unquoted = (text) => text.replaceAll('"', "");

/** The term that lets only this value through. */
export function wordFor(kind, value) {
  const text = kind === "severity" ? unquoted(value).toLowerCase() : unquoted(value);
  return /\s/.test(text) ? `${kind}:"${text}"` : `${kind}:${text}`;
}

/** The parts of a word of one of these kinds, as in `kind:value`; null for another word. */
export function partsOf(word, kinds) {
  const [, name = "", value = ""] = /^([a-z]+):(.*)$/i.exec(word) ?? [];
  const kind = name.toLowerCase();
  if (!kinds.has(kind)) return null;
  const canonical = wordFor(kind, value);
  return { word: canonical, kind, text: unquoted(canonical.slice(kind.length + 1)) };
}

/** What a word means as a term of the list's filter; null when it is text. */
export function termOf(word) {
  const flag = word.toLowerCase();
  if (FLAGS.has(flag)) return { word: flag, kind: flag, test: FLAGS.get(flag) };
  const parts = partsOf(word, KINDS);
  return parts && { ...parts, test: KINDS.get(parts.kind)(parts.text) };
}

/** A filter as one text: its terms, then what is typed. */
export const textOf = ({ terms, typed }) => [...terms, typed.trim()].filter(Boolean).join(" ");

export const filterText = () => textOf(state);

/** The words of a filter's text. */
export const wordsOf = (text) => text.match(WORDS) ?? [];

/** The terms of a text, as they are `known`, and the rest of it. */
export function split(text, known = termOf) {
  const words = wordsOf(text);
  const terms = words.map(known).filter(Boolean).map(({ word }) => word);
  const typed = words.filter((word) => !known(word)).join(" ");
  return { terms: [...new Set(terms)], typed };
}

/** The same, without the term at the end that is still being typed. */
export function splitTyped(typed, known = termOf) {
  const isQuoting = typed.split('"').length % 2 === 0;
  const end = isQuoting ? 0 : /\S*$/.exec(typed).index;
  const words = wordsOf(typed.slice(0, end));
  if (!words.some(known)) return { terms: [], typed };
  const { terms, typed: rest } = split(typed.slice(0, end), known);
  return { terms, typed: (rest && `${rest} `) + typed.slice(end) };
}

let last = { text: null };

/** The filter in force: its terms, whether it hides anything at all, and what it lets through. */
export function filter() {
  const text = filterText();
  if (last.text !== text) last = { text, ...compiled(text) };
  return last;
}

function compiled(text) {
  const kinds = new Map();
  const needles = [];
  for (const word of wordsOf(text)) {
    const term = termOf(word);
    if (!term) needles.push(unquoted(word).toLowerCase());
    else if (term.test) kinds.set(term.kind, [...kinds.get(term.kind) ?? [], term.test]);
  }
  const [tests, words] = [[...kinds.values()], needles.filter(Boolean)];
  const matches = (item) => tests.every((any) => any.some((test) => test(item)))
    && words.every((word) => searchText(item).includes(word));
  return { isOn: tests.length + words.length > 0, matches };
}

function searchText(item) {
  item.searchText ??= [item.description, item.failureReason, item.domain, item.code,
    item.severity, item.origin, ...item.path, item.id, item.claimedBy, item.answer?.by,
    item.answer?.second, item.answer?.comment, ...Object.values(item.answer?.values ?? {}),
    item.proposal?.by, item.result, item.reason,
    ...item.options.map(optionTitle)].join(" ").toLowerCase();
  return item.searchText;
}

/** Whether a term of the filter lets only some through; a term that is not applied does not. */
export const isApplied = (word) => Boolean(termOf(word)?.test);

/** What a person should know of the filter: terms that are not applied, and words that look like
 *  terms and are text. */
export const filterNotes = () => wordsOf(filterText()).map(noteOn).filter(Boolean);

/** What a person should know of a term whose value is none that its kind takes. */
export function notApplied(quoted, kind) {
  if (kind !== "severity") {
    return `${quoted} is not applied without a value: a text, with * for any characters.`;
  }
  return `${quoted} is not applied: a severity is ${SEVERITIES.join(", ")}, or >=error for error `
    + "and graver.";
}

function noteOn(word) {
  const term = termOf(word);
  const quoted = `“${shown(word, 60)}”`;
  if (term && !term.test) return notApplied(quoted, term.kind);
  if (term?.kind === "mine" && !myName()) return `${quoted} finds nothing before you give a name.`;
  const isAlmost = !term && /^[a-z]+:/i.test(word);
  return isAlmost ? `${quoted} is searched as text. The filter understands ${TERMS}.` : null;
}

/** What the filter hides of the list, as a sentence. */
export function hiddenText() {
  const what = state.show === "open" ? "waiting presentation" : "ended presentation";
  return `The filter hides ${counted(state.hidden, what)}.`;
}
