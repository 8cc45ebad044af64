// The address of a part of the page: the view, what is chosen in the inbox, and what is listed.
import { FILTER_MAX } from "./filter.js";
import { SHOWS, SORTS } from "./state.js";
import { lengthOf } from "./text.js";

/** The most characters that the server searches the audit for. */
export const AUDIT_MAX = 200;

/** The address; of the inbox with the filter, the order and what is listed, where they are not the
 *  ordinary ones, of the history with what it is searched for and where its page ends, and of the
 *  audit with what it is searched for. */
export function addressOf(tab, key, { filter, sort, show, before }) {
  const path = key ? `#/${tab}/${encodeURIComponent(key)}` : `#/${tab}`;
  const [isInbox, isHistory] = [tab === "inbox", tab === "history"];
  const query = new URLSearchParams();
  if ((isInbox || isHistory || tab === "audit") && filter) query.set("filter", filter);
  if (isInbox && sort !== SORTS[0]) query.set("sort", sort);
  if (isInbox && show !== SHOWS[0]) query.set("show", show);
  if (isHistory && before) query.set("before", before);
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** The parts of an address, with the ordinary ones in place of what is missing or unknown. */
export function readAddress(hash) {
  const end = hash.indexOf("?");
  const [path, text] = end < 0 ? [hash, ""] : [hash.slice(0, end), hash.slice(end + 1)];
  const [, tab = "inbox", key] = path.split("/");
  const query = new URLSearchParams(text);
  const filter = query.get("filter") ?? "";
  const max = tab === "audit" ? AUDIT_MAX : FILTER_MAX;
  const isTooLong = lengthOf(filter) > max;
  return {
    tab, key: key ? decoded(key) : null, isTooLong, max, filter: isTooLong ? "" : filter,
    sort: known(query.get("sort"), SORTS), show: known(query.get("show"), SHOWS),
    before: query.get("before"),
  };
}

const known = (name, names) => (names.includes(name) ? name : names[0]);

function decoded(key) {
  try { return decodeURIComponent(key); } catch { return key; }
}
