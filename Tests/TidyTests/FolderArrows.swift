/// Which folders of the library may use which: the arrows of ARCHITECTURE.md. One module has no
/// imports between its folders, so the names of types stand for them.
struct FolderArrows {
    /// Folder to the folders that it may use, itself and the transitive ones included.
    let reachable: [String: Set<String>]

    /// Reads lines of the form `Chain -> Recovery, Errors`; an empty right side is a leaf.
    init(readingFrom document: String) {
        var direct: [String: Set<String>] = [:]
        for line in document.split(separator: "\n") {
            let sides = line.split(separator: " -> ", maxSplits: 1).map(String.init)
            guard sides.count == 2, !sides[0].isEmpty, sides[0].allSatisfy(\.isLetter) else {
                continue
            }
            let targets = sides[1].split(separator: ",").map { $0.filter(\.isLetter) }
            direct[sides[0], default: []].formUnion(targets.filter { $0 != "nothing" })
        }
        reachable = direct.mapValues { targets in
            var seen = targets
            var open = Array(targets)
            while let folder = open.popLast() {
                for next in direct[folder] ?? [] where seen.insert(next).inserted {
                    open.append(next)
                }
            }
            return seen
        }
    }

    func violations(in files: [SourceFile]) -> [Violation] {
        let inRoles = files.compactMap { file in file.role.map { (file: file, role: $0) } }
        var owners: [String: Set<String>] = [:]
        var ownNames: [String: Set<String>] = [:]
        for (file, role) in inRoles {
            for declaration in file.declarations where !declaration.isExtension {
                ownNames[role, default: []].insert(declaration.name)
                if declaration.depth == 0, !declaration.isPrivate {
                    owners[declaration.name, default: []].insert(role)
                }
            }
        }
        return inRoles.flatMap { file, role -> [Violation] in
            guard let allowed = reachable[role] else {
                return [Violation(file.path, "\(role) has no arrows in ARCHITECTURE.md")]
            }
            let own = ownNames[role] ?? []
            return file.tokens.indices.compactMap { index in
                let token = file.tokens[index]
                // A member of that name is another thing: `Outcome.Reason`, `.transport`.
                guard token.isWord, index == 0 || file.tokens[index - 1].text != ".",
                    !own.contains(token.text), let folders = owners[token.text],
                    folders.isDisjoint(with: allowed), let folder = folders.min()
                else { return nil }
                return Violation(
                    file.path, line: token.line,
                    "\(role) uses \(token.text) of \(folder); it may use: "
                        + allowed.sorted().joined(separator: ", "))
            }
        }
    }
}
