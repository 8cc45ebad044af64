/// A value together with the path that leads to it.
struct ConfigurationField: Hashable, Sendable {
    let node: ConfigurationNode
    /// As in `nodes.relay.responders[0]`.
    let path: String
    /// Where messages point: the value, or the key when the value begins on a later line.
    let location: ConfigurationLocation

    init(_ node: ConfigurationNode, path: String, location: ConfigurationLocation? = nil) {
        self.node = node
        self.path = path
        self.location = location ?? node.location
    }

    init(_ entry: ConfigurationNode.Entry, in parent: String) {
        let path = parent.isEmpty ? entry.key : "\(parent).\(entry.key)"
        if case .scalar = entry.value.value, !entry.value.isNull {
            self.init(entry.value, path: path.escapedForMessage)
        } else {
            self.init(entry.value, path: path.escapedForMessage, location: entry.keyLocation)
        }
    }

    func element(_ index: Int, _ node: ConfigurationNode) -> ConfigurationField {
        ConfigurationField(node, path: "\(path)[\(index)]")
    }
}
