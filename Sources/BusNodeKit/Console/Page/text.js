// Texts for people. Text of a peer goes through `shown` before any use.
import { timeZone } from "./state.js";

// Characters that reorder, hide or forge text.
const TRICKS = new RegExp("[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b\\u200e\\u200f"
  + "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]", "gu");

// Marks upon one letter: more of them would cover other lines.
const STACKED = /(\p{M}{8})\p{M}+/gu;

/** The characters of a text, counted as the server does: most emoji are one. */
export const lengthOf = (text) => [...text].length;

/** A text with at most so many characters, and a sign where it was cut. */
export function clipped(text, max) {
  if (text.length <= max) return text;
  const first = [...text.slice(0, 2 * max + 1)];
  return first.length > max ? first.slice(0, max).join("") + "…" : text;
}

/** Text of a peer with tricks made visible, and cut. */
export function shown(text, max = 20_000) {
  return clipped(String(text ?? ""), max).replace(TRICKS, (trick) =>
    `⟨U+${trick.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`)
    .replace(STACKED, "$1");
}

const isVisible = (text) => /[^\s\p{C}]/u.test(text ?? "");

/** A presentation's heading; its domain when its description is empty. */
export const headingOf = (item) =>
  (isVisible(item.description) ? item.description : codeText(item));

/** An option's title; its id when it has none. */
export const optionTitle = (option) => (isVisible(option.title) ? option.title : option.id);

/** The title of the option with this id; the id when that is not offered. Of what the journal has
 *  only the chosen option has a title. */
export const titleIn = (item, id) =>
  optionTitle(item?.options.find((option) => option.id === id)
    ?? { id, title: item?.option === id ? item.optionTitle : null });

/** The title of the option that was chosen, as the journal has it; the id without one. */
export const pastTitle = ({ option, optionTitle: title }) => (isVisible(title) ? title : option);

/** The people who gave an answer. */
export const authorsOf = ({ by, second }) =>
  [by, second].filter(Boolean).map((name) => shown(name, 64)).join(" and ");

/** Words at the beginning of a sentence. */
export const asSentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

export const number = (value) => value.toLocaleString("en").replaceAll(",", "\u202f");
export const counted = (count, one, many = `${one}s`) =>
  `${number(count)} ${count === 1 ? one : many}`;

/** The time left: a quarter of an hour is 15 min until 14 are left. */
export const spanLeft = (milliseconds) =>
  span(milliseconds > 60_000 ? Math.ceil(milliseconds / 60_000) * 60_000 : milliseconds);

export function span(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  if (hours >= 48) return `${Math.floor(hours / 24)} d`;
  return `${hours} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export const clock = (time) =>
  new Date(time).toLocaleTimeString("en-GB", { timeZone: timeZone() });

/** The time of day, with the day when that is not today. */
export function moment(time) {
  const date = new Date(time);
  const dayIn = (day, parts) =>
    day.toLocaleDateString("en-GB", { ...parts, timeZone: timeZone() });
  if (dayIn(date) === dayIn(new Date())) return clock(date);
  const day = dayIn(date, { weekday: "short", day: "numeric", month: "short" });
  return `${day}, ${clock(date).slice(0, 5)}`;
}

/** The day, the time and the zone. */
export const zoned = (time) => new Date(time).toLocaleString("en-GB", {
  weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit",
  minute: "2-digit", second: "2-digit", timeZoneName: "short", timeZone: timeZone(),
});

/** The zone of the page's times, in few characters, by a name that holds in winter and summer. */
export function zoneName() {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZoneName: "short", timeZone: timeZone(),
  });
  const [winter, summer] = [0, 6].map((month) =>
    format.formatToParts(Date.UTC(2026, month))
      .find(({ type }) => type === "timeZoneName").value);
  if (winter === summer) return winter;
  const place = format.resolvedOptions().timeZone.split("/").at(-1);
  return `${place.replaceAll("_", " ")} time`;
}

/** The zone of this browser, by its name and how far it is from UTC. */
export function zoneText() {
  const { timeZone: name } = new Intl.DateTimeFormat().resolvedOptions();
  const parts = new Intl.DateTimeFormat("en-GB", { timeZoneName: "longOffset" })
    .formatToParts(new Date());
  const offset = parts.find(({ type }) => type === "timeZoneName").value.replace("GMT", "UTC");
  return name === "UTC" ? name : `${name}, now ${offset}`;
}

/** The stage of one without an end, for people. */
export const stageText = (stage) => (stage === "left" ? "left open" : stage);

export const codeText = (item) => item.domain + (item.code === null ? "" : ` ${item.code}`);

/** The process that the error arose in, for people. */
export const originOf = ({ originName }) => originName || "this process";

/** Whether that is a client without a name, which filters call otherwise than people do. It is not
 *  known whether it still waits. */
export const isNameless = ({ origin, originName }) => originName !== origin;

/** A name in the path, for people. */
export const nameIn = (item, name) => (name === item.origin ? originOf(item) : name);

export const pathText = (item) =>
  item.path.map((name) => nameIn(item, name)).join(" › ") || originOf(item);

export const fromText = (item) => `${pathText(item)} · ${codeText(item)}`;

/** Values that were given, for people; of secrets the names. Whole, since a second person confirms
 *  all of them. */
export function valuesText({ values, secrets }) {
  const texts = Object.entries(values ?? {}).map(([name, value]) =>
    `${shown(name, 32)} ${shown(typeof value === "string" ? `“${value}”` : value)}`);
  const hidden = (secrets ?? []).map((name) => `${shown(name, 32)} (secret)`);
  const all = [...texts, ...hidden];
  return all.length > 0 ? ` with ${all.join(", ")}` : "";
}

/** The characters of an answer's values in a list; its detail has all of them. */
export const LINE_MAX = 160;

/** An answer, for people: its option by a title, its values as far as that many characters, and who
 *  gave it. */
export const answerText = (answer, title, valuesMax = Infinity) =>
  `${title}${shown(valuesText(answer), valuesMax)} by ${authorsOf(answer)}`;

/** Why it is proposed, within a sentence; empty without a comment. */
export const commentText = ({ comment }) => (comment ? `, saying “${shown(comment, 2048)}”` : "");
