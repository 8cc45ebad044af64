/// A place in a configuration file. Lines and columns count from 1.
public struct ConfigurationLocation: Hashable, Sendable {
    /// The file, as it was named.
    public let file: String
    public let line: Int
    public let column: Int

    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }
}
