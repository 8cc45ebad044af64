/// The name of a node in the topology, in paths and in `origin` fields.
///
/// 1 to 64 characters of `A-Z a-z 0-9 . _ -`, so that a name fits into a header field, a path
/// separated by commas, a file name and a log line without escaping.
public struct NodeName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name, in bytes.
    public static let byteCountMax = 64
    /// The form of a name, for messages.
    public static let allowed = "1 to 64 characters of A-Z a-z 0-9 . _ -"

    /// The origin of a bare client's presentations, since bare mode has no names. Reserved: a node
    /// of this name would receive the answers of all bare clients.
    public static let bare: NodeName = "bare"
    package static let allowedForNode =
        "\(allowed), but \(bare) is what clients without a name are called"

    public let description: String

    /// The name for people, in every place where they read one; `description` is for programs and
    /// for filters.
    package var words: String { self == .bare ? "a client without a name" : description }

    /// The words for a name in the form of a text; the text itself if it is no name.
    package static func words(of text: String) -> String { NodeName(text)?.words ?? text }

    /// Reads a name; nil when the text is not one.
    public init?(_ text: some StringProtocol) {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= Self.byteCountMax, bytes.allSatisfy(Self.isAllowed)
        else {
            return nil
        }
        description = String(text)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension NodeName: Comparable {
    public static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}

extension NodeName: ExpressibleByStringLiteral {
    /// A name written in source. Traps when the literal is not a name.
    public init(stringLiteral value: String) {
        guard let name = NodeName(value) else {
            preconditionFailure("\"\(value)\" is not a node name: \(Self.allowed)")
        }
        self = name
    }
}
