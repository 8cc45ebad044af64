import Foundation

/// A mask for text that looks like a secret: values after a name such as `password` or `--token`,
/// credentials in URLs and headers, tokens of well-known forms, private keys, and the values of the
/// environment's secrets wherever they occur.
///
/// A secret without a name or form, such as a password that a program prints by itself, stays.
/// Takes time linear in the text for each secret of the environment.
package struct SecretMask: Sendable {
    /// The text in place of a secret.
    package static let text = "***"
    /// The shortest value of the environment that is masked wherever it occurs; a shorter value is
    /// too often a part of other words.
    static let valueByteMin = 6
    /// The most values of the environment, and lines of them; the longest are taken.
    package static let valueCountMax = 256

    /// The mask with the secrets of this process's environment.
    package static let ofThisProcess = SecretMask(
        environment: ProcessInfo.processInfo.environment)

    private let values: [[UInt8]]
    /// Whether text with the name or the form of a secret is masked too, and not the values alone.
    private let findsSigns: Bool

    package init(environment: [String: String] = [:]) {
        let whole = environment.filter { SecretName.matches(Array($0.key.utf8)) }
            .map { Array($0.value.utf8) }
            .filter { $0.count >= Self.valueByteMin }
            .sorted { $0.count > $1.count }
            .prefix(Self.valueCountMax)
        let lines = whole.flatMap { Self.lines(of: $0) }
        values = Array(whole) + lines.prefix(Self.valueCountMax - whole.count)
        findsSigns = true
    }

    private init(values: [[UInt8]], findsSigns: Bool) {
        self.values = values
        self.findsSigns = findsSigns
    }

    /// The mask of the secrets alone that a command gets: text that looks like one stays.
    package static func only(_ given: FieldValues) -> SecretMask {
        SecretMask(values: parts(of: given.secrets), findsSigns: false)
    }

    /// The mask that also knows the values that a command gets: the secrets, each line of those
    /// with several lines, and the values whose variables have the names of secrets.
    package func adding(_ given: FieldValues) -> SecretMask {
        let named = SecretMask(environment: given.environment).values
        return SecretMask(
            values: values + Self.parts(of: given.secrets) + named, findsSigns: findsSigns)
    }

    /// The mask that also knows the secrets of an answer, which need not fit their fields.
    package func adding(_ given: GivenValues) -> SecretMask {
        let secrets = given.secrets.values.compactMap(\.stringValue)
        return SecretMask(values: values + Self.parts(of: secrets), findsSigns: findsSigns)
    }

    /// The secrets, and each line of those with several lines.
    private static func parts(of secrets: [String]) -> [[UInt8]] {
        secrets.map { Array($0.utf8) }.filter { !$0.isEmpty }
            .flatMap { [$0] + lines(of: $0) }
    }

    /// The lines of a secret with several lines: a program may print one of them alone.
    private static func lines(of secret: [UInt8]) -> [[UInt8]] {
        secret.split { $0 == 0x0A || $0 == 0x0D }.map { Array($0) }
            .filter { $0.count >= valueByteMin && $0 != secret }
    }

    /// The text with each secret masked.
    package func masking(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let masked = masking(bytes)
        return masked == bytes ? text : String(decoding: masked, as: UTF8.self)
    }

    package func masking(_ bytes: [UInt8]) -> [UInt8] {
        masked(bytes, ranges(in: bytes))
    }

    /// The words of a command with each secret masked, also a flag's value in a word of its own,
    /// and the passwords of programs such as `curl` or `mysql`.
    package func masking(words: [[UInt8]]) -> [[UInt8]] {
        guard findsSigns else { return words.map { masked($0, ranges(in: $0)) } }
        let flagged = CommandSecrets.ranges(in: words.map { $0[...] })
        return zip(words, flagged).map { word, flagged in
            let value = SecretScanner.value(ofWord: word).map { [$0] } ?? []
            return masked(word, ranges(in: word) + flagged + value)
        }
    }

    private func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        var ranges = values.flatMap(bytes.places)
        guard findsSigns else { return ranges }
        ranges += PrivateKeyBlocks.ranges(in: bytes)
        var scanner = SecretScanner(bytes)
        ranges += scanner.scan()
        if bytes.contains(where: \.isSpace) {
            // A script in one word.
            ranges += CommandSecrets.ranges(in: bytes.split(whereSeparator: \.isSpace))
                .flatMap(\.self)
        }
        return ranges
    }

    private func masked(_ bytes: [UInt8], _ ranges: [Range<Int>]) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound })
        where range.upperBound > end && !range.isEmpty {
            // What overlaps or touches is one secret.
            if range.lowerBound > end || end == 0 {
                result += bytes[end..<range.lowerBound]
                result += Self.text.utf8
            }
            end = range.upperBound
        }
        return result + bytes[end...]
    }
}

extension ErrorReport {
    /// Masks everything that looks like a secret with `***`, in every text and in `userInfo`, here
    /// and in underlying errors: values of names such as `password` or `apiKey`, credentials in
    /// URLs and headers, tokens of well-known forms, private keys, and the values of this process's
    /// environment that have the names of secrets.
    ///
    /// For ``NodeParts/redact``. Domain, code, options' ids and unknown keys stay.
    public mutating func maskSecrets() { mask(by: .ofThisProcess) }

    package mutating func mask(by mask: SecretMask) {
        description = mask.masking(description)
        for text in Self.texts.map(\.property) {
            self[keyPath: text] = self[keyPath: text].map(mask.masking)
        }
        coalesceKey = coalesceKey.map(mask.masking)
        for index in options.indices {
            options[index].title = mask.masking(options[index].title)
            for field in options[index].fields.indices {
                options[index].fields[field].mask(by: mask)
            }
        }
        userInfo = mask.masking(userInfo)
        for index in underlyingErrors.indices { underlyingErrors[index].mask(by: mask) }
    }
}

extension ErrorReport.Field {
    /// Masks a field. A default that looks like a secret is dropped: a mask would be another value.
    fileprivate mutating func mask(by mask: SecretMask) {
        label = mask.masking(label)
        if case .string(let text) = defaultValue, mask.masking(text) != text { defaultValue = nil }
    }
}

extension SecretMask {
    fileprivate func masking(_ members: [String: JSONValue]) -> [String: JSONValue] {
        Dictionary(
            uniqueKeysWithValues: members.map { key, value -> (String, JSONValue) in
                let isNamed = findsSigns && SecretName.matches(Array(key.utf8))
                return (key, isNamed ? hiding(value) : masking(value))
            })
    }

    private func masking(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): return .string(masking(text))
        case .object(let members): return .object(masking(members))
        case .array(let elements):
            let texts = elements.compactMap(\.stringValue)
            // Texts alone may be a command's words.
            guard texts.count == elements.count else { return .array(elements.map(masking)) }
            return .array(
                masking(words: texts.map { Array($0.utf8) })
                    .map { .string(String(decoding: $0, as: UTF8.self)) })
        case .null, .bool, .integer, .number: return value
        }
    }

    /// The value with everything masked, since its name is a secret's.
    private func hiding(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool, .string(""): value
        case .integer, .number, .string: .string(Self.text)
        case .array(let elements): .array(elements.map(hiding))
        case .object(let members): .object(members.mapValues(hiding))
        }
    }
}

extension JSONValue {
    /// Whether a text in the value has a mask.
    var isMasked: Bool {
        switch self {
        case .string(let text): text.contains(SecretMask.text)
        case .array(let elements): elements.contains(where: \.isMasked)
        case .object(let members): members.values.contains(where: \.isMasked)
        case .null, .bool, .integer, .number: false
        }
    }
}

extension UInt8 {
    var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
