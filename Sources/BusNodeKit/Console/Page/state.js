// The state of the page, in one place. Every other file reads and changes it.

export const SEVERITIES = ["debug", "info", "warning", "error", "critical"];
export const TABS = ["inbox", "silences", "history", "audit", "topology"];
/** The orders of the list, and what it can show; the ordinary ones first. */
export const SORTS = ["gravity", "deadline", "age", "count"];
export const SHOWS = ["open", "ended"];

/** The first pause before an attempt to reconnect. */
export const RETRY_MIN = 500;

export const state = {
  // The server's life, and the data it has sent.
  node: "", startedAt: null, resume: 0, complete: 0, openCount: 0, skew: 0,
  items: new Map(), groups: new Map(), version: 0, silences: [],
  // The ids that were known before all was read again, until that is done; null otherwise.
  former: null,
  silencesAreKept: true, silencesProblem: null,
  // The link to the server.
  online: false, ready: false, port: null, attempt: null, heardAt: 0, lostAt: 0,
  retryDelay: RETRY_MIN, retryTimer: null, unanswered: 0,
  // How the list is shown: the terms of its filter, its other text as it is typed, and the order.
  terms: [], typed: "", sort: SORTS[0], show: SHOWS[0], arranged: false,
  // What the console says of the time that the chart shows; null until it is read.
  chart: null,
  // What the lists of the past are searched for, and the end of the page of each; null for the
  // newest.
  searches: {
    history: { terms: [], typed: "", before: null }, audit: { terms: [], typed: "", before: null },
  },
  // The list and its cursor; how many rows expire soon, and what the filter hides.
  soonCount: 0, hidden: 0,
  rows: [], index: new Map(), fresh: new Set(), expanded: new Set(), cursor: null, cursorIndex: 0,
  // The detail: what is chosen, what of it was read, and what the buttons are drawn for.
  selected: null, shownID: null, shownAt: 0, details: null, reading: null, unread: null,
  groupDetails: null, isPressing: false, decision: null,
  // What the journal has of a chosen one that the inbox has forgotten, its id while that is read.
  past: null,
  // What its buttons mean, and whether for a group; null after the person chose that again.
  meaning: null, scope: null,
  // The presentations that are selected, and the row from which a range of them begins.
  picked: new Set(), anchor: null,
  leftOut: new Set(), // The members that an answer for their group leaves open.
  whole: null, // Whether answers are for the group; null before the person chose.
  // The visitor's name, null where people give their own, and permissions; null until it is known.
  me: null,
  // Actions in progress.
  tab: "inbox", busy: null, confirming: null, undos: [], undoEnded: -Infinity, undoing: new Set(),
  lastEnd: null,
  news: { arrived: [], results: [], proposed: [], undone: [], lost: [] },
  lost: new Set(), // What this person had answered when the console stopped, before it was sent.
  // A fault of this page: nothing can be answered.
  fault: null,
};

/** The server's time. */
export const now = () => Date.now() + state.skew;

export const myName = () => state.me?.name ?? localStorage.getItem("errorbus.name") ?? "";
/** Whether a name is this person's. Where the console knows who both are, that decides: a person
 *  may take another name, and two may have the same. */
export const isMe = (name, person = null) => (person && state.me?.person
  ? person === state.me.person : Boolean(name) && name === myName());
/** Why a user who may only see can do nothing. */
export const MAY_SEE = "You may see presentations, but not answer them.";
/** Whether the console lets this person do something: answer, destructive, silence, administer. */
export const may = (permission) => state.me?.may.includes(permission) ?? true;

const MAY_NOT = { answer: MAY_SEE, silence: "You may not make or end silences." };
export const NO_LINK = "No link to the console: nothing can be sent now.";
/** Why this person cannot do something now; null when they can. */
export function whyNot(permission) {
  if (!may(permission)) return MAY_NOT[permission];
  return state.online ? null : NO_LINK;
}
/** Whether keys that write a character, like j or 1, do something. A person can turn them off: they
 *  may come from dictation, or by mistake. */
export const hasKeys = () => localStorage.getItem("errorbus.keys") !== "off";
/** Whether the rows of the list are low ones, with titles of one line. */
export const isCompact = () => localStorage.getItem("errorbus.rows") === "compact";
/** The zone of all times: UTC where the person chose it, else that of the browser. */
export const timeZone = () => (localStorage.getItem("errorbus.zone") === "utc" ? "UTC" : undefined);
export const undoTime = () => 1000 * Number(localStorage.getItem("errorbus.undo") ?? 5);
