// What the page knows, in one place. Every other file reads and changes it.

export const SEVERITIES = ["debug", "info", "warning", "error", "critical"];
export const TABS = ["inbox", "silences", "audit", "topology"];

export const state = {
  // The server's life and what it has told.
  node: "", resume: 0, drawn: 0, openCount: 0, skew: 0,
  items: new Map(), groups: new Map(), silences: [],
  silencesAreKept: true, silencesProblem: null,
  // The link to it.
  online: false, ready: false, source: null, heardAt: 0, lostAt: 0, retryDelay: 500,
  retryTimer: null,
  // The list, and where the cursor is in it.
  rows: [], index: new Map(), fresh: new Set(), expanded: new Set(), cursor: null, cursorIndex: 0,
  // The detail.
  selected: null, shownID: null, shownAt: 0, whole: false, details: null, loading: null,
  isPressing: false,
  // What a person is at.
  tab: "inbox", busy: false, undos: [], news: { arrived: [], results: [] }, lastEnd: null,
};

/** The server's time. */
export const now = () => Date.now() + state.skew;

export const myName = () => localStorage.getItem("errorbus.name") ?? "";
export const undoTime = () => 1000 * Number(localStorage.getItem("errorbus.undo") ?? 5);
