package import ErrorBus

/// The own names of commands that present without `--name`, as `exec-17519-1f951j0`.
package enum ClientName {
    /// A name that no other process has.
    ///
    /// - Parameter command: What it begins with: `exec`, or the name of a key and that.
    /// - Returns: Nil when that is no valid name.
    package static func unique(_ command: String, process: Int32) -> NodeName? {
        let number = String(UInt32.random(in: 0...UInt32.max), radix: 36)
        return NodeName("\(command)-\(process)-\(number)")
    }

    /// What the names of that command have in common, up to the last hyphen of it; nil for a name
    /// that no process was given so.
    static func beginning(of name: NodeName) -> String? {
        let parts = name.description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 3, ["exec", "present"].contains(parts[parts.count - 3]),
            UInt32(parts[parts.count - 2]) != nil, UInt32(parts[parts.count - 1], radix: 36) != nil
        else { return nil }
        return parts.dropLast(2).joined(separator: "-") + "-"
    }
}
