/// What a process above said when it dealt with an error without choosing an option: passed down
/// as it came, so that every hop knows the decision by one name.
struct HandledAbove: Hashable, Sendable {
    let decision: UniqueID
    let via: Answer.Via
    let extras: AnswerExtras
}
