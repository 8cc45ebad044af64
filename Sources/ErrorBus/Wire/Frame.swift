/// One part of a ZeroMQ message.
public typealias Frame = [UInt8]

extension Frame {
    /// The frame as text, for messages about it: at most 40 characters, made printable.
    var excerpt: String {
        let printable = prefix(40).map { byte in
            (0x20...0x7E).contains(byte) ? Character(Unicode.Scalar(byte)) : "?"
        }
        return String(printable) + (count > 40 ? "…" : "")
    }
}
