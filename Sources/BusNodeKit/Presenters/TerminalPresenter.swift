import ErrorBus
import Foundation
import Glibc
import Logging
import Synchronization
import UnixSignals

/// The presenter of a plain terminal: one prompt at a time, or a group of equal prompts, while the
/// others wait in a queue.
///
/// A prompt whose presentation is withdrawn is removed at once. Lines typed before a prompt was on
/// the screen never answer it. When the terminal is gone, this presenter declines.
actor TerminalPresenter: Presenter {
    nonisolated let presenterName = "terminal"

    struct Waiting {
        let text: PromptText
        let continuation: CheckedContinuation<Answer?, Never>
        var prompt: Prompt { text.prompt }
    }

    /// The most prompts waiting; above it the presenter declines, since no person can answer more.
    static let waitingMax = 1_000

    private let logger: Logger
    /// The console beside the terminal, which has the notes and the history of the prompts.
    let console: Console?
    let person: String
    private let isColored: Bool
    /// The waiting prompts, by their numbers in the queue.
    var waiting: [Int: Waiting] = [:]
    var queue = PromptQueue()
    /// The answer that is not yet recorded; the next prompt waits for the record.
    var recording: AnswerTally?
    private var isClosed = false
    private var reading: Task<Void, Never>?
    private var following: Task<Void, Never>?
    private var watching: Task<Void, Never>?
    /// The person whose claim on the shown prompt is on the screen; nil without a claim.
    private var claimant: String?
    /// The count of prompts on the screen: a line read at another count is outdated.
    private let screen = Screen()
    /// The time at which the prompt became visible first, possibly long after it was written.
    private var display = ErrorOutput.Display()
    /// The time at which the prompt became visible as it stands there now.
    private var lastDisplay = ErrorOutput.Display()
    /// The prompts that the option was chosen for, by their numbers.
    var chosen: [Int] = []
    /// The option that waits for a confirmation.
    var confirming: ErrorReport.Option?
    /// The option whose values are being asked for.
    var filling: ValueLines? { didSet { noteValue() } }
    /// The values that wait for the confirmation.
    var values: [String: JSONValue] = [:]
    /// The comment of the next answer, as the person typed it.
    var comment: String?
    /// Whether the next line is the rest of a value, whose prompt ended while it was typed.
    private var dropsLine = false { didSet { noteValue() } }
    /// The last prompt that ended without an answer, for a line that comes too late.
    var lastGone: Prompt?

    private final class Screen: Sendable {
        let count = Atomic(0)
        /// Whether a value is typed there, or the rest of one.
        let hasValue = Atomic(false)
    }

    init(logger: Logger, console: Console?) {
        self.logger = logger
        self.console = console
        person = AccountName.current()
        isColored = isatty(STDERR_FILENO) != 0
    }

    /// The prompt on the screen, which stands for its group.
    var shown: Waiting? { queue.shownMembers.first.flatMap { waiting[$0.number] } }

    /// The prompts on the screen that one choice answers.
    var shownGroup: PromptGroup { group(queue.shownMembers.map(\.number)) }

    func group(_ numbers: [Int]) -> PromptGroup {
        PromptGroup(
            members: numbers.compactMap { number in
                waiting[number].map { PromptGroup.Member(number: number, text: $0.text) }
            })
    }

    func present(_ prompt: Prompt) async throws -> Answer? {
        let earlier = await console?.earlier(than: prompt.id, of: prompt.report)
        let text = PromptText(prompt, earlier: earlier)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !isClosed, waiting.count < Self.waitingMax, prompt.isOpen, !Task.isCancelled
                else { return continuation.resume(returning: nil) }
                prompt.moved(to: .queued)
                let number = queue.arrived(
                    prompt.report.severity, CoalescingKey(prompt.report), at: .now)
                waiting[number] = Waiting(text: text, continuation: continuation)
                if queue.shownMembers.last?.number == number {
                    prompt.moved(to: .presented, by: person)
                }
                prompt.contact?.onChange { [weak self, weak prompt] isReachable in
                    Task { [weak self, weak prompt] in
                        guard let prompt else { return }
                        await self?.contactChanged(prompt, isReachable)
                    }
                }
                showNext()
                tellCount()
            }
        } onCancel: {
            Task { await self.takeAway(prompt) }
        }
    }

    /// Brings the next prompt to the screen if the screen is free.
    func showNext() {
        guard queue.shown == nil, recording == nil, !isClosed, queue.screenFreed() != nil else {
            return
        }
        show()
    }

    /// Writes the prompt that has just come to the screen.
    ///
    /// - Parameter former: The prompt that stood there, whose comment stays if the prompt does; nil
    ///   if another one comes.
    func show(after former: Prompt? = nil) {
        guard let shown else { return }
        forgetChoice()
        if comment != nil, !shownGroup.members.contains(where: { $0.text.prompt === former }) {
            comment = nil
            Terminal.say("  the comment is dropped: it was for the prompt before")
        }
        for member in shownGroup.members {
            member.text.prompt.moved(to: .presented, by: person)
        }
        if isatty(STDIN_FILENO) != 0 {
            // In the background, using the terminal would stop this process; now it fails, which
            // counts as the end of the input.
            ReceivedSignal.ignore(SIGTTIN)
            ReceivedSignal.ignore(SIGTTOU)
        }
        takeScreen(shown)
        startReading()
    }

    /// The line about the group on the screen, and the prompts behind it.
    private var status: String {
        PromptText.waiting(
            queue.others, groupCount: queue.shownMembers.count, columns: Terminal.columnCount)
    }

    /// Keeps that line current while options are to be chosen.
    private func tellCount() {
        guard shown != nil, confirming == nil, filling == nil else { return }
        Terminal.change(status: status)
    }

    private func noteValue() {
        screen.hasValue.store(filling != nil || dropsLine, ordering: .releasing)
    }

    /// Drops the choice and the typed values of the prompt before.
    func forgetChoice() {
        (confirming, filling, values) = (nil, nil, [:])
        if !dropsLine { TerminalEcho.restore() }
    }

    /// Writes the prompt of a presentation, so that earlier lines cannot answer it.
    func takeScreen(_ one: Waiting) {
        // Discards what was typed before, including an incomplete line.
        if isatty(STDIN_FILENO) != 0 { tcflush(STDIN_FILENO, TCIFLUSH) }
        // Before it is shown: an answer may come as soon as the last character is visible.
        screen.count.add(1, ordering: .releasing)
        display = ErrorOutput.Display()
        lastDisplay = display
        ask(one, display)
    }

    /// Asks for an option, or for a value or the confirmation of the option that was chosen. If it
    /// asks again below other lines, a line typed meanwhile still answers.
    func ask(_ one: Waiting, _ display: ErrorOutput.Display? = nil) {
        // The request for a value does not name it.
        if filling == nil { claimant = one.prompt.claim?.person }
        let columns = Terminal.columnCount
        let lines =
            confirming.map { group(chosen).confirmation(of: $0, columns: columns) }
            ?? filling?.lines(columns: columns)
        let asked =
            lines.map { PromptFoot.Asked($0) }
            ?? one.text.asked(
                isColored: isColored, columns: columns, status: status, comment: comment,
                noteCount: notes(on: one).count, since: openedAt(one))
        Terminal.ask(asked.text, display, foot: asked.foot)
    }

    /// Takes a prompt away that ended: withdrawn, expired or answered elsewhere.
    private func takeAway(_ prompt: Prompt) {
        guard let number = waiting.first(where: { $0.value.prompt === prompt })?.key,
            let gone = waiting.removeValue(forKey: number)
        else { return }
        gone.continuation.resume(returning: nil)
        guard queue.ended(number) else { return tellCount() }
        // Without the echo, as before: the rest of a secret may still be typed.
        if filling != nil { dropsLine = true }
        forgetChoice()
        lastGone = prompt
        let start = Terminal.stopAsking() ? "\n" : ""
        var lines = gone.text.goneLines(columns: Terminal.columnCount)
        if dropsLine { lines.append("  Press Return: what you have typed is dropped.") }
        Terminal.say(start + lines.joined(separator: "\n"))
        // The rest of its group stays on the screen.
        if let shown { takeScreen(shown) } else { showNext() }
    }

    /// Shows a change of the contact to the origin; a waiting prompt shows it when its turn comes.
    private func contactChanged(_ prompt: Prompt, _ isReachable: Bool) {
        // Of two quick changes only the later one is shown.
        guard let first = shown, first.prompt === prompt,
            prompt.contact?.isReachable == isReachable
        else { return }
        let start = Terminal.stopAsking() ? "\n" : ""
        Terminal.ask(start + "  " + first.text.contactLine(isReachable: isReachable))
    }

    /// Shows a claim on the prompt on the screen as it begins or ends; a waiting prompt shows it
    /// when its turn comes.
    private func claimsChanged() {
        guard let first = shown, recording == nil else { return }
        let person = first.prompt.claim?.person
        guard first.prompt.isOpen, person != claimant else { return }
        claimant = person
        let start = Terminal.stopAsking() ? "\n" : ""
        let lines = first.text.claimLines(of: person, columns: Terminal.columnCount)
        Terminal.ask(start + lines.joined(separator: "\n"))
    }

    private var standing: PromptStanding {
        PromptStanding(
            mark: screen.count.load(ordering: .acquiring), began: display.times.began,
            ended: lastDisplay.times.ended, isTerminal: isatty(STDIN_FILENO) != 0)
    }

    private func entered(_ line: InputLines.Line) {
        if dropsLine {
            dropsLine = false
            TerminalEcho.restore()
            Terminal.stopAsking()
            let words = "  (dropped: a value, whose prompt has ended)"
            return shown == nil ? Terminal.say(words) : Terminal.ask(words)
        }
        // Typed while no prompt was shown.
        guard recording == nil else {
            return Terminal.say("  ignored: the last answer is not recorded yet")
        }
        guard let first = shown else { return refuse(line) }
        Terminal.stopAsking()
        let text: String
        do throws(LineRefusal) {
            text = try standing.taken(line, isConfirmation: confirming != nil)
        } catch {
            return Terminal.ask("  (ignored: \(error))")
        }
        if let option = confirming { return confirmed(option, of: first, text) }
        if let form = filling { return filled(form, of: first, text) }
        switch first.text.keys.choice(text) {
        case .help:
            let columns = Terminal.columnCount
            var details = first.text.details(columns: columns, notes: notes(on: first))
            if console != nil { details.append("  [::] and a text writes a note for other people") }
            details += shownGroup.details(columns: columns)
            Terminal.say(details.joined(separator: "\n"))
        case .unknown(let reason):
            // No option is out of reach because its name looks like a command.
            if let command = PromptCommand(text) { return perform(command, at: first) }
            Terminal.say("  \(reason)")
        case .option(let id):
            // Before values and the word are asked for.
            if let refusal = first.prompt.refusal(ofOnePersons: id) {
                Terminal.say("  refused: \(refusal.description.shown())")
                return ask(first)
            }
            chosen = queue.answered(at: line.start.at)
            let option = first.prompt.report.options.first { $0.id == id }
            if let option, !option.fields.isEmpty { return ask(ValueLines(option), of: first) }
            if decided(id, of: first) { return }
        }
        ask(first)
    }

    /// Takes lines that came at once. At a request for a value, they are a paste: none of them is
    /// the value, and none is for another prompt.
    private func entered(_ lines: [InputLines.Line]) {
        if dropsLine, let first = lines.first { return entered(first) }
        guard let form = filling, let shown else {
            for line in lines { entered(line) }
            return
        }
        Terminal.stopAsking()
        if form.field.isSecret { Terminal.say("") }
        Terminal.say("  \(form.severalRefused)")
        takeScreen(shown)
    }

    /// Refuses a line without a prompt, probably for a prompt that ended.
    private func refuse(_ line: InputLines.Line) {
        guard line.text?.allSatisfy(\.isWhitespace) != true else { return }
        guard let lastGone, !lastGone.isOpen else {
            return Terminal.say("  ignored: no prompt is waiting for an answer")
        }
        let lines = PromptText(lastGone).lateLines(columns: Terminal.columnCount)
        Terminal.say(lines.joined(separator: "\n"))
    }

    private func endKeyPressed() {
        guard shown != nil else { return }
        Terminal.stopAsking()
        Terminal.ask("\n  (Ctrl-D does not answer)")
    }

    private func inputEnded() {
        (isClosed, dropsLine) = (true, false)
        queue = PromptQueue()
        following?.cancel()
        watching?.cancel()
        forgetChoice()
        if !waiting.isEmpty {
            let start = Terminal.stopAsking() ? "\n" : ""
            Terminal.say(start + "  (standard input has ended: no more prompts here)")
        }
        logger.warning(
            "presenter: its terminal is closed; to be prompted there again, restart the node")
        for one in waiting.values { one.continuation.resume(returning: nil) }
        waiting.removeAll()
    }

    /// Writes the prompt again after a stop of the process, as by Ctrl-Z: the shell has written
    /// over it.
    private func wasContinued() {
        guard let shown else { return }
        // The shell has set the terminal's modes since.
        if let filling {
            TerminalEcho.restore()
            TerminalEcho.set(!filling.field.isSecret)
        }
        Terminal.stopAsking()
        // What was typed for it counts, but not a Return that was meant for the shell.
        lastDisplay = ErrorOutput.Display()
        ask(shown, lastDisplay)
    }

    private func startReading() {
        guard reading == nil else { return }
        let lines = InputLines.lines(
            of: STDIN_FILENO,
            holds: { [screen] in screen.hasValue.load(ordering: .acquiring) },
            mark: { [screen] in screen.count.load(ordering: .acquiring) })
        reading = Task { [weak self] in
            for await event in lines {
                switch event {
                case .line(let line): await self?.entered(line)
                case .lines(let several): await self?.entered(several)
                case .endKey: await self?.endKeyPressed()
                }
            }
            await self?.inputEnded()
        }
        if let console {
            watching = Task { [weak self, inbox = console.inbox] in
                for await _ in inbox.changes() { await self?.claimsChanged() }
            }
        }
        guard isatty(STDIN_FILENO) != 0 else { return }
        following = Task { [weak self] in
            for await _ in await UnixSignalsSequence(trapping: .sigcont) {
                await self?.wasContinued()
            }
        }
    }
}
