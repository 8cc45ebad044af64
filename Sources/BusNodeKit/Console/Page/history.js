// The history: what the journal has of presentations, newest first, searched by the server.
import { el, timeOf } from "./elements.js";
import { pastList } from "./past-list.js";
import { MARKS } from "./row.js";
import { endingOf } from "./store.js";
import {
  answerText, fromText, headingOf, LINE_MAX, pastTitle, shown, stageText,
} from "./text.js";

const ids = {
  box: "pastQuery", help: "pastHelp", chips: "pastChips", note: "pastNote", count: "pastCount",
  rows: "past", pages: "pages", exports: "exports", exportsText: "exportsText", file: "export",
};

const list = pastList("history", ids, {
  page: 100, of: "presentation", nothing: "Nothing has been presented yet.",
  listOf: ({ presentations }) => presentations, rowOf: line,
  refusalOf: ({ message, answer }) => (answer?.error === "notKept"
    ? "This node has no journal, so it keeps no history." : message),
});

export const {
  start: startHistory, draw: drawHistory, load: loadHistory, onKey: onHistoryKey,
} = list;

function line(past) {
  const [ending, tone] = endingOf({ ...past, ending: past.ending ?? stageText(past.stage) });
  return el("tr", {},
    el("td", {}, timeOf(past.openedAt)),
    el("td", {}, el("span", { className: `badge ${tone}`, textContent: shown(ending, 40) })),
    el("td", {}, el("div", { className: "entry" },
      el("span", {
        className: `mark ${past.severity}`, textContent: MARKS[past.severity] ?? "?", role: "img",
        ariaLabel: `${past.severity}:`,
      }),
      el("a", {
        href: `#/inbox/${encodeURIComponent(past.id)}`, className: "title", dir: "auto",
        textContent: shown(headingOf(past), 300), dataset: { key: `past ${past.id}` },
      }),
      el("span", { className: "soft foreign", textContent: shown(fromText(past), 200) }))),
    el("td", {
      className: "foreign", title: shown(past.optionTitle ? past.option : ""),
      textContent: past.option ? answerText(past, shown(pastTitle(past), 60), LINE_MAX) : "",
    }));
}
