// The silences of the server: read every few seconds, made and ended here.
import { $ } from "./elements.js";
import { api, failureText, Refusal } from "./api.js";
import { ownName } from "./dialogs.js";
import { schedule } from "./frame.js";
import { toast } from "./news.js";
import { state } from "./state.js";
import { counted, number } from "./text.js";

const activeSilences = () =>
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

/** Shows the number of active silences, since the inbox does not show what they silence. */
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
    toast(`Silence ${silence} has ended: matching errors are presented again.`, "good");
  } catch (error) {
    toast(failureText(error), "error");
  }
  loadSilences();
}
