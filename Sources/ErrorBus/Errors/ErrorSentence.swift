/// A readable sentence from a plain Swift error: `.fileNotFound(path: "/x")` is
/// `File not found (path: "/x").`
enum ErrorSentence {
    static func sentence(for error: any Error) -> String {
        // Through Any: from `any Error` the compiler takes the way over NSError, which has one.
        if let error = (error as Any) as? any CustomStringConvertible {
            let text = error.description
            if !text.isEmpty { return text }
        }
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else {
            return words(in: ValueText.shortTypeName(of: error))
                + ValueText.fields(of: mirror, depth: 0) + "."
        }
        guard let payload = mirror.children.first else {
            return words(in: "\(error)") + "."
        }
        return words(in: payload.label ?? ValueText.shortTypeName(of: error))
            + ValueText.payload(payload.value, depth: 0) + "."
    }

    /// `badURLGiven` is `Bad URL given`.
    static func words(in name: String) -> String {
        let characters = Array(name)
        var words: [String] = [""]
        for (index, character) in characters.enumerated() {
            if character == "_" {
                words.append("")
                continue
            }
            if index > 0, character.isUppercase {
                let followsSmall = !characters[index - 1].isUppercase
                let startsWord = index + 1 < characters.count && characters[index + 1].isLowercase
                if followsSmall || startsWord { words.append("") }
            }
            words[words.count - 1].append(character)
        }
        let lowered = words.filter { !$0.isEmpty }.map { word in
            word.count > 1 && word.allSatisfy { !$0.isLowercase } ? word : word.lowercased()
        }
        let text = lowered.joined(separator: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
