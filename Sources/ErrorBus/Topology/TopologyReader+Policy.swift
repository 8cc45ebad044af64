// A policy file by itself.
extension TopologyReader {
    /// Reads and checks one policy file.
    ///
    /// - Parameters:
    ///   - path: What messages call it; relative paths in it start at its folder.
    ///   - environment: What `${NAME}` stands for.
    public static func readPolicy(
        _ path: String, environment: [String: String], open: @escaping PolicyOpener
    ) throws(ConfigurationFailure) -> [Rule] {
        let root = try open(path)
        var reader = TopologyReader(folder: "", environment: environment, openPolicy: open)
        let rules = reader.policy(root, path: path)
        guard reader.decoder.problems.isEmpty else {
            throw .invalid(reader.decoder.problems, warnings: [])
        }
        return rules
    }
}
