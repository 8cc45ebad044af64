import Testing

@testable import BusLab

/// A log with one fault, and the count that it has to show up in.
struct LedgerFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let events: [LedgerEvent]
    let count: @Sendable (inout LedgerCounts) -> Void

    init(
        _ name: String, _ events: [LedgerEvent],
        _ count: @escaping @Sendable (inout LedgerCounts) -> Void
    ) {
        testDescription = name
        self.events = events
        self.count = count
    }

    static let all: [LedgerFault] = [
        LedgerFault("completed twice", MadeUpLog.whole + [MadeUpLog.complete]) {
            $0.duplicateCompletions = 1
        },
        LedgerFault("prompted twice", [MadeUpLog.report, MadeUpLog.prompt] + MadeUpLog.whole) {
            $0.duplicatePrompts = 1
        },
        LedgerFault(
            "prompted after the decision",
            MadeUpLog.whole + [MadeUpLog.prompt, MadeUpLog.takenAway]
        ) { $0.duplicatePrompts = 1 },
        LedgerFault(
            "completed by another process",
            MadeUpLog.answered + [MadeUpLog.complete(in: MadeUpLog.other)]
        ) { $0.misrouted = 1 },
        LedgerFault(
            "completed by another life",
            MadeUpLog.answered + [MadeUpLog.complete(in: MadeUpLog.workerLater)]
        ) { $0.misrouted = 1 },
        LedgerFault(
            "attempted by another process",
            MadeUpLog.whole + [MadeUpLog.event(.attempt, MadeUpLog.other, option: "retry")]
        ) { $0.misrouted = 1 },
        LedgerFault("attempted twice", MadeUpLog.whole + [MadeUpLog.attempt]) {
            $0.attemptsOverOne = 1
        },
        LedgerFault(
            "another option than decided",
            MadeUpLog.answered + [MadeUpLog.complete(in: MadeUpLog.worker, option: "skip")]
        ) { $0.disagreements = 1 },
        LedgerFault(
            "another answer than decided",
            MadeUpLog.answered + [MadeUpLog.complete(in: MadeUpLog.worker, answer: "2")]
        ) { $0.disagreements = 1 },
        LedgerFault(
            "attempted an option that was not chosen",
            MadeUpLog.whole.filter { $0.kind != .attempt }
                + [MadeUpLog.event(.attempt, MadeUpLog.worker, option: "wipe")]
        ) { $0.attemptsUnchosen = 1 },
        LedgerFault(
            "decided twice",
            MadeUpLog.whole + [
                MadeUpLog.event(.decide, MadeUpLog.centre, option: "skip", answer: "2"),
                MadeUpLog.event(.done, MadeUpLog.centre, option: "skip", answer: "2"),
            ]
        ) { $0.duplicateDecisions = 1 },
        LedgerFault(
            "decided what was not offered",
            MadeUpLog.whole.filter { $0.kind != .present } + [MadeUpLog.present(["skip"])]
        ) { $0.notOffered = 1 },
        LedgerFault("without a result", MadeUpLog.whole.filter { $0.kind != .done }) {
            $0.unsettled = 1
        },
        LedgerFault(
            "said to have failed", MadeUpLog.whole + [MadeUpLog.done("failed")]
        ) { $0.untrueResults = 1 },
        LedgerFault(
            "said to be late, without another answer", MadeUpLog.whole + [MadeUpLog.done("late")]
        ) { $0.untrueResults = 1 },
        LedgerFault(
            "said to be withdrawn, without another answer",
            MadeUpLog.whole + [MadeUpLog.done("withdrawn")]
        ) { $0.untrueResults = 1 },
        LedgerFault(
            "said to be refused, though attempted", MadeUpLog.whole + [MadeUpLog.done("invalid")]
        ) { $0.untrueResults = 1 },
        LedgerFault("of no known result", MadeUpLog.whole + [MadeUpLog.done("fine")]) {
            $0.untrueResults = 1
        },
        LedgerFault(
            "recovered without an attempt", MadeUpLog.whole.filter { $0.kind != .attempt }
        ) { $0.untrueResults = 1 },
    ]
}
