/// "Did you mean": the nearest of the words that are allowed.
enum Suggestion {
    /// Longer words are not compared: the work grows with the square.
    private static let scalarCountMax = 64

    /// A hint that names the nearest word, or nil when none is near.
    static func hint(for word: String, among words: some Sequence<String>) -> String? {
        nearest(to: word, among: words).map { "did you mean \"\($0)\"?" }
    }

    static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let allowedDistance = max(1, min(3, word.unicodeScalars.count / 3))
        return words.map { (word: $0, distance: distance(word, $0)) }
            .filter { $0.distance <= allowedDistance }
            .min { $0.distance < $1.distance }?.word
    }

    /// Insertions, deletions, replacements and swaps of neighbours, ignoring case.
    static func distance(_ one: String, _ other: String) -> Int {
        let a = Array(one.lowercased().unicodeScalars.prefix(scalarCountMax))
        let b = Array(other.lowercased().unicodeScalars.prefix(scalarCountMax))
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var rows = [Array(0...b.count)]
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                var best = min(rows[i - 1][j], row[j - 1]) + 1
                best = min(best, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    best = min(best, rows[i - 2][j - 2] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
