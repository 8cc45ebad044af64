/// A regular expression as a tree.
indirect enum RegexExpression: Hashable, Sendable {
    case set(ScalarSet)
    case start, end
    case sequence([RegexExpression])
    case alternatives([RegexExpression])
    /// `most` nil: without an upper bound.
    case repeated(RegexExpression, least: Int, most: Int?)
}
