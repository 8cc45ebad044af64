/// The recorded decision about one presentation: which option, who chose it, and how.
///
/// Made by a ``Prompt`` (a person, a policy) or read from the wire; the same answer travels down
/// the whole path, so every hop can tell "this answer again" from "another answer".
public struct Answer: Hashable, Sendable {
    /// How the decision came about.
    public enum Via: String, Sendable, CaseIterable {
        case person, policy, expiry, handler
    }

    /// The longest `by`, in Unicode scalars; longer text is cut.
    public static let byScalarCountMax = 256

    /// Names this decision; a resent answer keeps it.
    public let id: UniqueID
    /// The id of the chosen option.
    public let option: String
    /// Who decided: a person's name, a policy and its rule, a node.
    public let by: String
    public let via: Via
    var extras = AnswerExtras()
    /// It came over the wire: a process above decided it, and keeps what comes of it.
    var isFromAbove = false

    package init(id: UniqueID, option: String, by: String, via: Via) {
        self.id = id
        self.option = option
        self.by = by.cut(toScalars: Self.byScalarCountMax)
        self.via = via
    }
}
