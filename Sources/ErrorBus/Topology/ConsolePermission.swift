/// A permission of a console's user, beside that to see everything, which each has.
package enum ConsolePermission: String, CaseIterable, Sendable {
    /// To answer, claim and release presentations, and to undo answers.
    case answer
    /// To choose destructive options.
    case destructive
    /// To make and end silences.
    case silence
    /// To send undelivered messages of hooks again.
    case administer

    /// The word for none of them, and no more than a word: every user sees everything.
    package static let seesOnly = "see"
}
