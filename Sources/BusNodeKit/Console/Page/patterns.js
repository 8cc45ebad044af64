// The patterns of a silence, as text in fields and as JSON for the server: a text, a text with `*`,
// a /regex/, or several of them separated by commas.

const PIECE = /\s*(\/(?:\\.|[^/\\])*\/|[^,]+)\s*(?:,|$)/g;
const FIELDS = ["domain", "code", "severity", "origin"];

/** The pattern of a field's text; undefined when it is empty. */
export function parsedPattern(text, isCode = false) {
  const pieces = [...text.matchAll(PIECE)].map((match) => match[1].trim()).filter(Boolean);
  const values = pieces.map((piece) =>
    (isCode && /^-?\d{1,15}$/.test(piece) ? Number(piece) : piece));
  return values.length > 1 ? values : values[0];
}

/** The field's text for a pattern. */
export const patternText = (pattern) =>
  (Array.isArray(pattern) ? pattern.join(", ") : String(pattern ?? ""));

/** The pattern that matches only this text: where a text alone would not, an expression. In a text
 *  two backslashes mean one, and a field drops line breaks. */
export function literal(value) {
  const text = String(value);
  const isPlain = text !== "" && text === text.trim() && !/[*,\n\r]|\\\\/.test(text)
    && !/^(\\?\/|[<>=])/.test(text);
  return isPlain ? text : `/^${text.replace(/[\\^$.|?*+()[\]{}/]/g, "\\$&")
    .replaceAll("\n", "\\n").replaceAll("\r", "\\r")}$/`;
}

/** The parts of a match as name and text, for people. */
export function matchParts({ userInfo = {}, ...match }) {
  const parts = FIELDS.filter((name) => name in match).map((name) => [name, match[name]]);
  const info = Object.entries(userInfo).map(([key, value]) => [`userInfo.${key}`, value]);
  return [...parts, ...info].map(([name, value]) => [name, patternText(value)]);
}

/** The first match of a silence for errors like this one, and ways to narrow it. */
export function likeThis(item) {
  const match = { domain: literal(item.domain) };
  if (item.code !== null) match.code = String(item.code);
  const narrower = [["severity", item.severity]];
  if (item.origin) narrower.push(["origin", literal(item.origin)]);
  return { match, narrower, options: item.options, item: item.id };
}
