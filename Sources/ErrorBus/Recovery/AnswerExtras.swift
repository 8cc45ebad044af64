/// What else a process above said with its answer. Nothing here reads it; it travels down to the
/// origin as it came.
struct AnswerExtras: Hashable, Sendable {
    struct Field: Hashable, Sendable {
        let name: String
        let value: String
    }

    var fields: [Field] = []
    var payload: [UInt8] = []
}
