extension JSONParser {
    /// The number at the position. Without fraction and exponent it is an integer and must fit
    /// 64 bits (`-0` is 0); with either it is a double and must be finite. A double too small for
    /// the format is 0, as everywhere.
    mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let firstDigit = position
        var magnitude: UInt64 = 0
        var overflows = false
        while let digit = digit() {
            let (product, first) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, second) = product.addingReportingOverflow(UInt64(digit))
            magnitude = sum
            overflows = overflows || first || second
            position += 1
        }
        guard position > firstDigit else { throw unexpected("a digit") }
        if bytes[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 {
            throw JSONError(.leadingZero, at: firstDigit)
        }
        switch current {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            return .number(try double(from: start))
        default: break
        }
        let limit = UInt64(Int64.max) + (isNegative ? 1 : 0)
        guard !overflows, magnitude <= limit else {
            throw JSONError(.numberOutOfRange, at: start)
        }
        let bits = Int64(truncatingIfNeeded: magnitude)
        return .integer(isNegative ? 0 &- bits : bits)
    }

    /// The double that began at `start`; the position is at its point or exponent.
    private mutating func double(from start: Int) throws(JSONError) -> Double {
        if current == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let slice = UnsafeBufferPointer(rebasing: bytes[start..<position])
        guard let value = Double(String(decoding: slice, as: UTF8.self)) else {
            throw JSONError(.badNumber, at: start)
        }
        guard value.isFinite else { throw JSONError(.numberOutOfRange, at: start) }
        return value
    }

    /// Steps over one digit or more.
    private mutating func digits() throws(JSONError) {
        guard digit() != nil else { throw unexpected("a digit") }
        while digit() != nil { position += 1 }
    }

    private func digit() -> UInt8? {
        guard position < bytes.count else { return nil }
        let digit = bytes[position] &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }
}
