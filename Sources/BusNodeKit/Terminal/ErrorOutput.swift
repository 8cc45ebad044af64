import DequeModule
import ErrorBus
import Foundation
import Glibc
package import Logging
import Synchronization

/// Standard error, written by its own thread: a stopped reader never blocks a writer. Above a limit
/// new lines are dropped, and their count is written once there is room again.
final class ErrorOutput: Sendable {
    /// The time at which a prompt became visible: nil while it waits for its turn.
    final class Display: Sendable {
        struct Times {
            var began: ContinuousClock.Instant?
            var ended: ContinuousClock.Instant?
        }

        private let state = Mutex(Times())
        var times: Times { state.withLock { $0 } }

        fileprivate func begins() { state.withLock { $0.began = $0.began ?? .now } }
        fileprivate func ends() { state.withLock { $0.ended = $0.ended ?? .now } }
    }

    private struct Piece {
        let bytes: [UInt8]
        var display: Display?
    }

    private struct State {
        var pieces: Deque<Piece> = []
        var byteCount = 0
        var droppedCount = 0
        var foot: PromptFoot
        /// The last prompt, without the lines at its foot.
        var lastPrompt: (text: String, display: Display)?
        var isPromptMissed = false
    }

    static let shared: ErrorOutput = {
        let output = ErrorOutput(descriptor: STDERR_FILENO)
        // Gives a reader time for the last lines; one that has stopped delays no exit.
        atexit { ErrorOutput.shared.drain(withinMilliseconds: 300) }
        return output
    }()

    /// The most bytes of text that wait for a reader: some thousand lines.
    static let byteCountMax = 256 * 1_024

    private let state: Mutex<State>
    /// The semaphore with one signal for each piece.
    private let waiting = DispatchSemaphore(value: 0)
    /// The group that each piece enters, and leaves when it is written.
    private let unwritten = DispatchGroup()

    private init(descriptor: CInt) {
        let canRewrite = isatty(descriptor) != 0 && Terminal.canMoveCursor
        state = Mutex(State(foot: PromptFoot(canRewrite: canRewrite)))
        Thread.detachNewThread { [self] in
            while true {
                waiting.wait()
                writeNext(to: descriptor)
            }
        }
    }

    /// Writes whole lines, and the prompt again below them.
    func say(_ text: String) {
        state.withLock { state in
            let text = state.foot.said(text)
            _ = add(text, to: &state)
        }
    }

    /// Writes text with a prompt below it. Text with a display is written again in whole if there
    /// was no room for it.
    ///
    /// - Parameter foot: The part of a new prompt that stays visible; nil for a remark about the
    ///   last one.
    func ask(_ text: String, _ display: Display?, foot: PromptFoot.Content? = nil) {
        state.withLock { state in
            let whole = state.foot.asked(text, foot)
            if let display {
                state.lastPrompt = (text, display)
                state.isPromptMissed = false
            }
            let piece = Piece(bytes: Array(whole.utf8), display: display)
            if !add(piece, to: &state), display != nil { state.isPromptMissed = true }
        }
    }

    /// Changes the line about the other prompts that wait.
    func change(status: String) {
        state.withLock { state in
            let before = state.foot
            guard let text = state.foot.changed(status: status) else { return }
            if !add(text, to: &state) { state.foot = before }
        }
    }

    /// Ends the prompt; true if the cursor is behind it.
    func stopAsking() -> Bool { state.withLock { $0.foot.stopped() } }

    /// Writes bytes unchanged.
    func pass(_ bytes: [UInt8]) {
        state.withLock { state in
            state.foot.passed()
            _ = add(Piece(bytes: bytes), to: &state)
        }
    }

    /// Waits until all is written, at most for the limit.
    func drain(withinMilliseconds limit: Int) {
        _ = unwritten.wait(timeout: .now() + .milliseconds(limit))
    }

    private func add(_ text: String, to state: inout State) -> Bool {
        add(Piece(bytes: Array(text.utf8)), to: &state)
    }

    /// Adds a piece; false if there is no room.
    private func add(_ piece: Piece, to state: inout State) -> Bool {
        if state.droppedCount > 0, state.byteCount < Self.byteCountMax / 2 { tellDropped(&state) }
        guard state.droppedCount == 0, state.byteCount < Self.byteCountMax else {
            state.droppedCount += 1
            return false
        }
        append(piece, to: &state)
        return true
    }

    private func append(_ piece: Piece, to state: inout State) {
        state.pieces.append(piece)
        state.byteCount += piece.bytes.count
        unwritten.enter()
        waiting.signal()
    }

    private func tellDropped(_ state: inout State) {
        let count = state.droppedCount
        state.droppedCount = 0
        let start = state.foot.isAsking ? "\n" : ""
        let what = count == 1 ? "1 message was" : "\(count) messages were"
        let text = "\(start)bus-node: \(what) not written: standard error was not read\n"
        append(Piece(bytes: Array(text.utf8)), to: &state)
        guard state.foot.isAsking else { return }
        var piece = Piece(bytes: Array(state.foot.end.utf8))
        if state.isPromptMissed, let (text, display) = state.lastPrompt {
            state.isPromptMissed = false
            let whole = text + "\n" + state.foot.end
            piece = Piece(bytes: Array(whole.utf8), display: display)
        }
        append(piece, to: &state)
    }

    private func writeNext(to descriptor: CInt) {
        guard let piece = state.withLock({ $0.pieces.first }) else { return }
        piece.display?.begins()
        Terminal.write(piece.bytes, to: descriptor, waits: true)
        piece.display?.ends()
        state.withLock { state in
            state.pieces.removeFirst()
            state.byteCount -= piece.bytes.count
            if state.pieces.isEmpty, state.droppedCount > 0 { tellDropped(&state) }
        }
        unwritten.leave()
    }
}

/// A log handler for standard error, one line a message: time, level, text, then `key=value` pairs.
/// Text from a peer is escaped, so that it cannot drive the terminal or forge a line or a pair.
package struct BusLogHandler: LogHandler {
    package var logLevel: Logger.Level = .info
    package var metadata: Logger.Metadata = [:]
    private let label: String

    init(label: String) { self.label = label }

    /// Installs this handler for all logs of this process.
    package static func bootstrap(level: Logger.Level) {
        LoggingSystem.bootstrap { label in
            var handler = BusLogHandler(label: label)
            handler.logLevel = level
            return handler
        }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var merged = metadata
        if let more = event.metadata { merged.merge(more) { _, new in new } }
        let pairs = merged.sorted { $0.key < $1.key }
            .map { " \($0.key)=\(Self.value("\($0.value)"))" }
        let time = Date.now.formatted(.iso8601.time(includingFractionalSeconds: true))
        let text = "\(event.message)".escapedForTerminal()
        Terminal.say("\(time) \(event.level) \(label): \(text)\(pairs.joined())")
    }

    /// The text of a value: in quotes, with `"` and `\` escaped, if it looks like several pairs, or
    /// begins with a quote itself.
    static func value(_ text: String) -> String {
        let safe = text.escapedForTerminal(scalarLimit: 500)
        let scalars = safe.unicodeScalars
        let isLikePairs =
            scalars.contains("=") && scalars.contains { $0.properties.isWhitespace }
        guard isLikePairs || scalars.first == "\"" else { return safe }
        return "\"\(safe.replacingScalars(["\\": "\\\\", "\"": "\\\""]))\""
    }
}
