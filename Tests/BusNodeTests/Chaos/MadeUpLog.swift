@testable import bus_node

/// Lines as processes write them, for one presentation called A.
enum MadeUpLog {
    static let worker = LedgerEvent.Life(node: "w1", pid: 10)
    static let workerLater = LedgerEvent.Life(node: "w1", pid: 11)
    static let other = LedgerEvent.Life(node: "w2", pid: 20)
    static let centre = LedgerEvent.Life(node: "c", pid: 1)
    static let centreLater = LedgerEvent.Life(node: "c", pid: 2)

    static func event(
        _ kind: LedgerEvent.Kind, _ life: LedgerEvent.Life, id: String = "A",
        option: String = "", answer: String = "", reason: String = ""
    ) -> LedgerEvent {
        var event = LedgerEvent(kind, id, life)
        event.option = option
        event.answer = answer
        event.reason = reason
        return event
    }

    static let report = event(.report, worker)
    static let prompt = event(.prompt, centre)
    static let gone = event(.gone, centre, reason: "answered")
    static let takenAway = event(.gone, centre, reason: "takenAway")
    static let decide = event(.decide, centre, option: "retry", answer: "1")
    static let attempt = event(.attempt, worker, option: "retry")
    static let complete = complete(in: worker)

    static func complete(
        in life: LedgerEvent.Life, option: String = "retry", answer: String = "1"
    ) -> LedgerEvent {
        event(.complete, life, option: option, answer: answer, reason: "answered")
    }

    /// All but the completion.
    static let answered = [report, prompt, gone, decide, attempt]
    static let whole = answered + [complete]
}
