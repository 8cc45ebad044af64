package import ErrorBus
import Foundation
import Glibc
package import Logging
import Synchronization

/// The ledger of one node: one JSON object a line, each appended with one write, so that a killed
/// process loses no line.
package final class EventLog: AuditLog {
    private struct State {
        var descriptor: CInt
        /// Whether the file ends within a line: the next line must begin with a line break.
        var isTorn: Bool
        /// The number of events that were lost since the last one that was written.
        var lostCount = 0
    }

    private let path: String
    private let node: NodeName
    private let logger: Logger
    private let sequence = Atomic<Int>(0)
    private let state: Mutex<State>

    /// - Throws: When the file or its folder cannot be created.
    package init(_ path: String, node: NodeName, logger: Logger) throws(Failure) {
        self.path = path
        self.node = node
        self.logger = logger
        let folder = (path as NSString).deletingLastPathComponent
        if !folder.isEmpty {
            try? FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }
        state = Mutex(try Self.open(path))
    }

    deinit { close(state.withLock { $0.descriptor }) }

    /// Opens the file that is now at the path: after a rotation, a new one. If that fails, events
    /// still go to the former file, and the failure is logged.
    func reopen() {
        do throws(Failure) {
            var fresh = try Self.open(path)
            let former = state.withLock { state in
                fresh.lostCount = state.lostCount
                defer { state = fresh }
                return state.descriptor
            }
            close(former)
            logger.notice("events: file reopened", metadata: ["file": "\(path)"])
        } catch {
            logger.error(
                "events: file not reopened, the former one is still written",
                metadata: ["file": "\(path)", "problem": "\(error.text)"])
        }
    }

    private static func open(_ path: String) throws(Failure) -> State {
        func failure(_ problem: String, _ status: ExitStatus = .cannotCreate) -> Failure {
            Failure(status, "ledger \(path): \(problem)")
        }
        // The owner of a file can read it.
        if let found = FileStatus.foreign(at: path) {
            throw failure("found \(found)", .notPermitted)
        }
        let isLink = FileStatus(link: path)?.isLink == true
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY
        let descriptor = Glibc.open(path, isLink ? flags : flags | O_NOFOLLOW, 0o640)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw failure(FilePath.hindrance(to: path) ?? reason)
        }
        if let found = fault(of: descriptor, in: isLink ? nil : FilePath.folder(of: path)) {
            close(descriptor)
            throw failure("found \(found), expected a file")
        }
        // A crash may have left an incomplete line.
        var last: UInt8 = 0
        let size = lseek(descriptor, 0, SEEK_END)
        let isTorn =
            size > 0 && pread(descriptor, &last, 1, size - 1) == 1 && last != UInt8(ascii: "\n")
        return State(descriptor: descriptor, isTorn: isTorn)
    }

    /// The reason why an open file is not for a ledger; nil if it is.
    ///
    /// - Parameter folder: The folder of the file; nil if a link leads there.
    private static func fault(of descriptor: CInt, in folder: String?) -> String? {
        // Each event is written at once, so the file must be one that never waits for a reader.
        if isatty(descriptor) == 1 { return "a terminal" }
        guard let status = FileStatus(descriptor: descriptor), !status.isPipeOrSocket else {
            return "a pipe or socket"
        }
        // Another user may have put it there just now.
        guard let folder, status.isForeign(in: folder) else { return nil }
        return "\(status.kind) of user \(status.owner)"
    }

    package func record(_ event: PresentationEvent) {
        record(event.word, event.id, event.fields)
    }

    /// Records an act of a person.
    ///
    /// - Parameter id: The presentation; nil if the act concerns none.
    func record(_ word: String, _ id: PresentationID?, _ fields: [String: String]) {
        var object: [String: JSONValue] = fields.mapValues { .string($0) }
        object["event"] = .string(word)
        object["id"] = .string(id?.description ?? "")
        object["node"] = .string(node.description)
        object["time"] = .string(TimeText.now)
        object["pid"] = .integer(Int64(getpid()))
        object["sequence"] = .integer(Int64(sequence.add(1, ordering: .relaxed).newValue))
        let json = JSONEscapes.escapingInvisible(in: JSONValue.object(object).encoded())
        append(json + [UInt8(ascii: "\n")])
    }

    /// Appends a line. A failure loses the line and is logged once until writing works again: no
    /// presentation fails because a disk is full.
    private func append(_ line: [UInt8]) {
        let (problem, lostCount): (String?, Int) = state.withLock { state in
            let bytes = state.isTorn ? [UInt8(ascii: "\n")] + line : line
            let count = write(state.descriptor, bytes, bytes.count)
            let reason =
                count < 0
                ? String(cString: strerror(errno))
                : "only part of a line was written, as on a full disk"
            guard count != bytes.count else {
                state.isTorn = false
                defer { state.lostCount = 0 }
                return (nil, state.lostCount)
            }
            if count > 0 { state.isTorn = true }
            state.lostCount += 1
            return (reason, state.lostCount)
        }
        if let problem {
            guard lostCount == 1 else { return }
            logger.error(
                "events are lost",
                metadata: [
                    "file": "\(path)", "problem": "\(problem)",
                    "try": "make room on its disk; a journal has the decisions all the same",
                ])
        } else if lostCount > 0 {
            logger.notice(
                "events: written again", metadata: ["file": "\(path)", "lost": "\(lostCount)"])
        }
    }
}

extension PresentationEvent {
    /// The names that events of a presentation have in a ledger.
    enum Word: String, CaseIterable {
        case report, present, decide, done, change, complete
    }

    /// The event's name in a ledger.
    var word: String {
        let word: Word =
            switch what {
            case .reported: .report
            case .presented: .present
            case .decided: .decide
            case .settled: .done
            case .ended: .change
            case .completed: .complete
            }
        return word.rawValue
    }

    /// The fields of a ledger beside the event's name: they identify the error, without userInfo.
    var fields: [String: String] {
        switch what {
        case .reported(let report):
            return Self.fields(of: report).merging(Self.cancels(in: report)) { $1 }
        case .presented(let report, let origin, let path):
            var fields = Self.fields(of: report)
            fields["options"] = report.options.map(\.id).joined(separator: ",")
            fields["origin"] = origin?.description ?? ""
            fields["path"] = path.map(\.description).joined(separator: ",")
            fields["retryOf"] = report.retryOf?.description ?? ""
            return fields.merging(Self.cancels(in: report)) { $1 }
        case .decided(let answer, let isRestored):
            var fields = Self.fields(of: answer)
            fields["via"] = answer.via.rawValue
            fields["comment"] = answer.comment
            fields["restored"] = isRestored ? "true" : nil
            return fields
        case .settled(let result, let answer):
            return Self.fields(of: answer).merging(["result": result.rawValue]) { $1 }
        case .ended(let report, let reason, let origin, let decider, let applied):
            var fields = Self.fields(of: report)
            fields["reason"] = reason.rawValue
            fields["by"] = decider
            fields["origin"] = origin?.description ?? ""
            fields["option"] = applied
            return fields
        case .completed(let outcome):
            return [
                "reason": outcome.reason.rawValue, "didRecover": String(outcome.didRecover),
                "by": outcome.decidedBy, "option": outcome.answer?.option ?? "",
                "answer": outcome.answer?.id.description ?? "",
            ]
        }
    }

    private static func fields(of report: ErrorReport) -> [String: String] {
        [
            "domain": report.domain, "code": report.code.map(String.init) ?? "",
            "description": report.description,
        ]
    }

    /// The options that mean to give up, by which the results of answers are named.
    private static func cancels(in report: ErrorReport) -> [String: String] {
        let ids = report.options.filter { $0.role == .cancel }.map(\.id)
        return ids.isEmpty ? [:] : ["cancel": ids.joined(separator: ",")]
    }

    private static func fields(of answer: Answer) -> [String: String] {
        var fields = [
            "answer": answer.id.description, "option": answer.option, "by": answer.by,
        ]
        fields["second"] = answer.second
        let given = answer.given
        if !given.values.isEmpty {
            fields["values"] = String(
                decoding: JSONValue.object(given.values).encoded(), as: UTF8.self)
        }
        if !given.secretNames.isEmpty {
            fields["secrets"] = given.secretNames.joined(separator: ",")
        }
        return fields
    }
}

/// A log that passes each event to several logs, in order.
struct AuditLogs: AuditLog {
    let logs: [any AuditLog]

    func record(_ event: PresentationEvent) {
        for log in logs { log.record(event) }
    }
}
