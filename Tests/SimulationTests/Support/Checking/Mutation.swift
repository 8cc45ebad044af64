/// A rule broken on purpose, to see that the simulator notices.
enum Mutation: String, Sendable, CaseIterable {
    /// The presenter asks again what it has answered.
    case presenterForgetsAnswers
    /// The answer goes out before the journal has it.
    case answersBeforeJournal
    /// The journal does not survive a crash.
    case journalLost
    /// PRESENT goes out once: neither a silent nor a restarted parent is asked again.
    case asksOnce
    /// ANSWER goes out once.
    case answerSentOnce
    /// What came of an answer is never reported.
    case settledNotSent
    /// What was taken back stays in front of the person, and may be answered.
    case promptsStayOpen
    /// A relay keeps no results.
    case resultsForgotten
    /// An origin runs the option although it was dealt with above.
    case attemptsWhatIsDecided
    /// Results and withdrawals are forgotten at once.
    case noTombstones
    /// Messages count whichever way they come.
    case directionIgnored
    /// A sibling may settle what another child asked.
    case siblingsTrusted
    /// What nobody asks for any more is kept.
    case leaseForever
    /// An answer that comes again is carried out again.
    case repeatsAttempts
    /// Answers go to whoever else is there.
    case answersMisrouted
    /// Nobody goes back to its first parent.
    case neverReturns
    /// The chain's verdict counts for a later asking, and an older prompt for a newer one.
    case generationsIgnored
    /// The child that asks last is the only one that asks, though it has lost the origin.
    case pathsSteal

    /// The promise that this breaks first of all.
    var breaks: Violation.Checker {
        switch self {
        case .asksOnce, .answerSentOnce, .answersMisrouted, .repeatsAttempts:
            .c1ExactlyOneCompletion
        case .attemptsWhatIsDecided, .noTombstones: .c2AttemptsAtMostOnce
        case .answersBeforeJournal, .directionIgnored, .generationsIgnored: .c3AnswerIsTheRecorded
        case .presenterForgetsAnswers, .journalLost, .promptsStayOpen: .c5OnePromptOneAnswer
        case .settledNotSent, .siblingsTrusted: .c6Truth
        case .resultsForgotten, .leaseForever, .neverReturns: .c7Liveness
        case .pathsSteal: .c9InFront
        }
    }
}
