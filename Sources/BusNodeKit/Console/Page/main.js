// The operator's page. It keeps a copy of the inbox, updated by the server's events, and draws from
// it once per animation frame. Text from reports only ever becomes text nodes.
import { $, refreshTimes } from "./elements.js";
import { drawActing, openPicked } from "./acting.js";
import { startAlerts, tellAway } from "./alerts.js";
import { drawAudit, loadAudit, startAudit } from "./audit.js";
import { loadChart, startChart } from "./chart.js";
import { drawDetail } from "./detail.js";
import { askName, drawConfirmation, drawName, openHelp } from "./dialogs.js";
import { drawFilter, startFilterBox, tellArranged } from "./filter-box.js";
import { guarded, onFrame, schedule } from "./frame.js";
import { drawHistory, loadHistory, startHistory } from "./history.js";
import { drawIconSoon } from "./icon.js";
import { onKey } from "./keys.js";
import { drawLetters, loadLetters } from "./letters.js";
import { startLimits } from "./limit.js";
import { checkLink, connect, findPlace, startLink } from "./link.js";
import { drawCounts, drawList, focusCursor, skipToList } from "./list.js";
import { startModals } from "./modal.js";
import { tellNews, toast } from "./news.js";
import { aim } from "./order.js";
import { clearPicks, drawPicked } from "./picking.js";
import { remind } from "./reminders.js";
import { collectRows } from "./rows.js";
import { startRuleForm } from "./rule-form.js";
import { startViews } from "./saved-views.js";
import { startSilenceForm } from "./silence-form.js";
import { drawSilences } from "./silence-list.js";
import { loadSilences } from "./silences.js";
import { state } from "./state.js";
import { onChange, onMessage } from "./store.js";
import { drawTopology, loadTopology } from "./topology.js";
import { tellUndone } from "./undoing.js";
import { loadsView, onLink, refreshView, route } from "./views.js";

const SLOW = 5000;
const TOPOLOGY = 2000;

function tick() {
  checkLink();
  refreshTimes();
  tellArranged();
  tellNews();
  tellUndone();
  remind();
  if (!document.hidden) schedule();
}

function stopPressing() {
  state.isPressing = false;
  schedule();
}

/** A button that is disabled for a reason gives it, and does nothing else. */
function giveReason(event) {
  const button = event.target.closest("[aria-disabled=true]");
  if (!button) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  toast(button.title, "warning");
}

function refreshSlowly() {
  // A search of the history is for a person who asks for it.
  if (!["topology", "history"].includes(state.tab)) refreshView();
  else if (state.online && !document.hidden) loadCounts();
}

/** What the header counts. */
const loadCounts = () => Promise.all([loadSilences(), loadLetters()]);

/** What has no line in the frame after it came did not come in sight of a person. */
const forgetFresh = () => state.fresh.clear();

onFrame(collectRows, drawFilter, drawPicked, drawList, forgetFresh, drawCounts, drawDetail,
  drawConfirmation, drawActing, drawSilences, drawHistory, drawAudit, drawTopology, drawLetters);
onChange(tellAway);
onMessage(drawIconSoon);
loadsView("inbox", () => Promise.all([loadChart(), loadCounts()]));
loadsView("silences", loadCounts);
loadsView("history", () => Promise.all([loadHistory(), loadCounts()]));
loadsView("audit", () => Promise.all([loadAudit(), loadCounts()]));
loadsView("topology", () => Promise.all([loadTopology(), loadLetters()]));

document.addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", () => { schedule(); refreshView(); });
addEventListener("hashchange", route);
addEventListener("popstate", route);
addEventListener("resize", schedule);
addEventListener("storage", drawName); // Another tab may have changed the name.
const drawScrolled = () => requestAnimationFrame(() => guarded(drawList));
$("scroller").addEventListener("scroll", drawScrolled, { passive: true });
for (const event of ["pointermove", "pointerdown"]) {
  $("scroller").addEventListener(event, aim, { passive: true });
}
document.addEventListener("click", giveReason, { capture: true });
document.addEventListener("click", onLink);
document.querySelector(".skip").addEventListener("click", skipToList);
$("banner").lastChild.addEventListener("click", () => {
  if (state.fault) location.reload(); else connect();
});
$("who").addEventListener("click", askName);
$("helpButton").addEventListener("click", openHelp);
$("pickedOpen").addEventListener("click", openPicked);
$("pickedClear").addEventListener("click", () => {
  clearPicks();
  focusCursor(); // The button goes, and would take the focus with it.
});
// A button that is replaced while it is pressed would not be clicked.
document.addEventListener("pointerdown", ({ button, target }) => {
  state.isPressing = button === 0 && Boolean(target.closest("button, a, label"));
});
// A menu or another window may take the end of it.
for (const end of ["pointerup", "pointercancel", "contextmenu", "blur", "keydown"]) {
  addEventListener(end, () => setTimeout(stopPressing));
}
startLimits();
startChart();
startModals();
startAlerts();
startFilterBox();
startHistory();
startAudit();
startViews();
startSilenceForm();
startRuleForm();
refreshTimes();
setInterval(tick, 1000);
setInterval(refreshSlowly, SLOW);
setInterval(() => { if (state.tab === "topology") refreshView(); }, TOPOLOGY);
findPlace();
route();
drawName();
startLink();
connect();
