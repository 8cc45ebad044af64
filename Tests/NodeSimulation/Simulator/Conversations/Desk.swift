import ErrorBus

/// The people of the node of a ``Script``: the inbox that ships, where they do what the script has.
// Unchecked: see Scheduler.
final class Desk: Presenter, @unchecked Sendable {
    let presenterName: String
    let inbox: Inbox
    /// What comes to them and leaves them again: `shown` or `hidden`, and the prompt's number.
    let seen: Mailbox<(what: String, prompt: Prompt, time: UInt64)>
    /// Whether each answer is on record, as people read it.
    let recorded: Mailbox<Bool>
    private let scheduler: Scheduler

    init(_ name: String, _ limits: InboxLimits, _ scheduler: Scheduler) {
        presenterName = name
        inbox = Inbox(name, limits: limits)
        self.scheduler = scheduler
        seen = Mailbox(scheduler)
        recorded = Mailbox(scheduler)
    }

    func present(_ prompt: Prompt) async throws -> Answer? {
        seen.add(("shown", prompt, scheduler.now))
        prompt.onRecord { [weak self] in self?.recorded.add($0) }
        let answer = try await inbox.present(prompt)
        seen.add(("hidden", prompt, scheduler.now))
        return answer
    }

    /// The next thing that people see is the prompt of this presentation.
    @discardableResult
    func shows(
        _ id: PresentationID, in time: ClosedRange<UInt64> = 0...200, line: Int = #line
    ) async throws -> Prompt {
        try await sees("shown", id, in: time, line)
    }

    /// The next thing that people see is that this prompt goes.
    @discardableResult
    func hides(
        _ id: PresentationID, in time: ClosedRange<UInt64> = 0...200, line: Int = #line
    ) async throws -> Prompt {
        try await sees("hidden", id, in: time, line)
    }

    func seesNothing(for time: UInt64, line: Int = #line) async throws {
        if let (what, prompt, _) = await seen.next(within: time) {
            throw Misspoken(description: "line \(line): people see that \(prompt.id) is \(what)")
        }
    }

    private func sees(
        _ what: String, _ id: PresentationID, in time: ClosedRange<UInt64>, _ line: Int
    ) async throws -> Prompt {
        let from = scheduler.now
        let next = await seen.next(within: time.upperBound + 1)
        guard let next, next.what == what, next.prompt.id == id,
            time.contains(max(next.time, from) - from)
        else {
            let found =
                next.map { "\($0.prompt.id) \($0.what) at \(max($0.time, from) - from)" }
                ?? "nothing"
            throw Misspoken(
                description: "line \(line): people expect \(id) \(what) in \(time) ms; see \(found)"
            )
        }
        return next.prompt
    }

    /// Reads whether the latest answer is on record.
    func learns(
        _ isRecorded: Bool, in time: ClosedRange<UInt64> = 0...200, line: Int = #line
    ) async throws {
        let found = await recorded.next(within: time.upperBound)
        guard found != isRecorded else { return }
        throw Misspoken(
            description: "line \(line): people expect that the answer is recorded: \(isRecorded); "
                + "learn \(found.map(String.init) ?? "nothing")")
    }

    /// What people read about a presentation.
    func item(_ id: PresentationID, line: Int = #line) throws -> InboxItem {
        do { return try inbox.item(id) } catch {
            throw Misspoken(description: "line \(line): not in the inbox: \(error)")
        }
    }

    @discardableResult
    func answer(
        _ id: PresentationID, _ option: String = "retry", by person: String = "ann",
        undo: UInt64 = 0, values: [String: JSONValue] = [:], line: Int = #line
    ) throws -> Answer {
        do {
            return try inbox.answer(
                id, option: option, by: person, undo: .milliseconds(undo), values: values)
        } catch {
            throw Misspoken(description: "line \(line): an answer is refused: \(error)")
        }
    }

    func claim(
        _ id: PresentationID, by person: String = "ann", for time: UInt64 = 300_000,
        line: Int = #line
    ) throws {
        do { try inbox.claim(id, by: person, for: .milliseconds(time)) } catch {
            throw Misspoken(description: "line \(line): a claim is refused: \(error)")
        }
    }

    /// What has to be refused.
    func refuses(
        _ what: String, line: Int = #line, _ body: () throws -> Void
    ) throws {
        do { try body() } catch { return }
        throw Misspoken(description: "line \(line): \(what) is taken")
    }
}
