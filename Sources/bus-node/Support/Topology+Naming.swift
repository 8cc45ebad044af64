import ErrorBus

extension Topology {
    /// The node that is called so on a command line.
    ///
    /// - Parameter path: The file, for the message.
    func node(named text: String, in path: String) throws(Failure) -> NodeSettings {
        guard let settings = NodeName(text).flatMap({ self[$0] }) else {
            throw Failure(
                .badConfiguration,
                "\(path.shown()): no node \"\(text.shown())\"; there are: \(nodeNames)")
        }
        return settings
    }

    /// In the order of the file.
    var nodeNames: String { settings.map(\.name.description).joined(separator: ", ") }
}
