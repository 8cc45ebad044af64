package import ErrorBus

/// The own names of commands that present without `--name`, as `exec-17519-1f951j0`.
package enum ClientName {
    /// A name that no other process has.
    ///
    /// - Parameter command: The beginning of the name: `exec`, or the name of a key and `exec`.
    /// - Returns: The name; nil if it is not valid.
    package static func unique(_ command: String, process: Int32) -> NodeName? {
        let number = String(UInt32.random(in: 0...UInt32.max), radix: 36)
        return NodeName("\(command)-\(process)-\(number)")
    }

    /// The common beginning of the names of a command, up to their last hyphen; nil for a name in
    /// another form.
    static func beginning(of name: NodeName) -> String? {
        let parts = name.description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 3, ["exec", "present"].contains(parts[parts.count - 3]),
            UInt32(parts[parts.count - 2]) != nil, UInt32(parts[parts.count - 1], radix: 36) != nil
        else { return nil }
        return parts.dropLast(2).joined(separator: "-") + "-"
    }
}
