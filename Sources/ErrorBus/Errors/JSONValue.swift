/// A JSON value (RFC 8259) as the bus carries it: exact integers, no duplicates, no bytes.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number written without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}
