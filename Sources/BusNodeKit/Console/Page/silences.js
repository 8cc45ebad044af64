// The silences that the server has: read every few seconds, made and ended here.
import { $ } from "./elements.js";
import { api, failureText, Refusal } from "./api.js";
import { ownName } from "./dialogs.js";
import { schedule } from "./frame.js";
import { toast } from "./news.js";
import { state } from "./state.js";
import { counted, number } from "./text.js";

export const activeSilences = () =>
  state.silences.filter((silence) => silence.stage === "active");

export async function loadSilences() {
  try {
    const { silences, isKept = true } = await api("GET", "silences");
    Object.assign(state, { silences, silencesAreKept: isKept, silencesProblem: null });
  } catch (error) {
    if (error instanceof Refusal) state.silencesProblem = error.message;
  }
  drawSilenceCount();
  schedule();
}

/** What is silenced is seen nowhere in the inbox: at least that there is something. */
function drawSilenceCount() {
  const active = activeSilences();
  const silenced = active.reduce((sum, each) => sum + each.answered + each.withheld, 0);
  $("silenceCount").hidden = active.length === 0;
  $("silenceCount").textContent = number(active.length);
  $("silenceLink").hidden = active.length === 0;
  const text = `${counted(active.length, "silence")} active, ${number(silenced)} silenced`;
  if ($("silenceLink").textContent !== text) $("silenceLink").textContent = text;
}

export async function endSilence({ number: silence }) {
  const by = await ownName();
  if (!by) return;
  try {
    await api("POST", `silences/${silence}/end`, { by });
    toast(`Silence ${silence} has ended: what it matched is asked about again.`, "good");
  } catch (error) {
    toast(failureText(error), "error");
  }
  loadSilences();
}
