/// A promise that one run broke.
struct Violation: Sendable, CustomStringConvertible {
    enum Checker: String, Sendable, CaseIterable {
        case c1ExactlyOneCompletion = "C1 exactly one completion"
        case c2AttemptsAtMostOnce = "C2 attempts at most once, at the owner"
        case c3AnswerIsTheRecorded = "C3 the delivered answer is the recorded one"
        case c4NoMisroute = "C4 no misroute"
        case c5OnePromptOneAnswer = "C5 one live prompt, one recorded answer"
        case c6Truth = "C6 truth"
        case c7Liveness = "C7 liveness"
        case c8Bounds = "C8 bounds"
        case c9InFront = "C9 in front of the presenter while the origin asks by a live way"
        case c10AnswerArrives = "C10 an answer arrives by a live way"
    }

    let checker: Checker
    let text: String

    var description: String { "\(checker.rawValue): \(text)" }
}
