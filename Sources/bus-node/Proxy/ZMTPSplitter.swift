/// Finds whole messages in a ZMTP 3 stream without encryption, so that they can be doubled. A
/// stream that turns out to be something else passes as it is.
struct ZMTPSplitter: Hashable {
    /// Signature, version, mechanism and filler.
    private static let greetingLength = 64
    /// A longer message is passed on as it comes, so that nothing is kept without a bound.
    private static let messageMax = 1 << 20

    private enum State: Hashable {
        case greeting(seen: Int)
        /// The frames of the message that has begun, not yet passed on.
        case frames
        /// No ZMTP 3, encrypted, or a message above the limit: pass everything.
        case passive
    }

    private var state = State.greeting(seen: 0)
    private var greeting: [UInt8] = []
    private var pending: [UInt8] = []

    /// Whether a part of a message has come and not been passed on.
    var isHolding: Bool { !pending.isEmpty }

    /// - Parameter doubles: Asked once for each whole message, never for commands.
    /// - Returns: What to pass on now: the bytes so far, with whole messages doubled. A message
    ///   that is not whole yet is kept.
    mutating func received(_ bytes: [UInt8], doubles: () -> Bool) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes[...]
        if case .greeting(let seen) = state {
            let part = rest.prefix(Self.greetingLength - seen)
            rest = rest.dropFirst(part.count)
            greeting += part
            output += part
            guard greeting.count == Self.greetingLength else {
                state = .greeting(seen: greeting.count)
                return output
            }
            state = isPlain ? .frames : .passive
        }
        guard state == .frames else { return output + rest }
        pending += rest
        while let length = messageLength() {
            let message = pending.prefix(length)
            output += message
            if message[message.startIndex] & 0x04 == 0, doubles() { output += message }
            pending.removeFirst(length)
        }
        if pending.count > Self.messageMax {
            state = .passive
            output += pending
            pending = []
        }
        return output
    }

    /// Version 3 with mechanism NULL.
    private var isPlain: Bool {
        greeting[0] == 0xFF && greeting[9] == 0x7F && greeting[10] >= 3
            && Array(greeting[12..<17]) == Array("NULL".utf8) + [0]
    }

    /// How many of the pending bytes are the first message; nil while it is not whole.
    private func messageLength() -> Int? {
        var position = pending.startIndex
        while position < pending.endIndex {
            let flags = pending[position]
            let sizeLength = flags & 0x02 == 0 ? 1 : 8
            guard position + 1 + sizeLength <= pending.endIndex else { return nil }
            let size = pending[(position + 1)..<(position + 1 + sizeLength)]
                .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard size <= UInt64(Self.messageMax) else { return nil }
            position += 1 + sizeLength + Int(size)
            guard position <= pending.endIndex else { return nil }
            if flags & 0x01 == 0 { return position - pending.startIndex }
        }
        return nil
    }
}
