import Foundation

/// The working copy this test was compiled from.
struct Repository {
    let root: URL
    let swiftFiles: [SourceFile]
    /// Path from the root, and text.
    let documents: [(path: String, text: String)]
    let scripts: [(path: String, text: String)]
    /// The page's code and styles, and Python.
    let otherCode: [(path: String, text: String)]

    static func load(from file: String = #filePath) throws -> Repository {
        let root = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        func texts(_ paths: [String]) throws -> [(path: String, text: String)] {
            try paths.map { path in
                (path, try String(contentsOf: root.appending(path: path), encoding: .utf8))
            }
        }
        let paths = try allPaths(under: root)
        let swift = paths.filter { $0.hasSuffix(".swift") && $0 != "Package.swift" }
        return Repository(
            root: root,
            swiftFiles: try texts(swift).map { SourceFile(path: $0.path, text: $0.text) },
            documents: try texts(paths.filter { $0.hasSuffix(".md") }),
            scripts: try texts(
                paths.filter { $0.hasPrefix("scripts/") || $0 == "Makefile" || $0.hasSuffix(".sh") }
            ),
            otherCode: try texts(
                paths.filter { path in
                    [".js", ".css", ".py"].contains(where: path.hasSuffix)
                }))
    }

    /// The files elsewhere in the repository that links below a folder lead to.
    func linkedFiles(below folder: String) -> Set<String> {
        let files = FileManager.default
        let below = files.enumerator(atPath: root.appending(path: folder).path)
        let targets = (below?.compactMap { $0 as? String } ?? []).compactMap { path -> URL? in
            let link = root.appending(path: folder).appending(path: path)
            let target = try? files.destinationOfSymbolicLink(atPath: link.path)
            return target.map { URL(filePath: $0, relativeTo: link).standardizedFileURL }
        }
        return Set(targets.map { String($0.path.dropFirst(root.path.count + 1)) })
    }

    /// Every file, without what was built or installed. Folders with a leading dot are skipped.
    private static func allPaths(under root: URL) throws -> [String] {
        var found: [String] = []
        func visit(_ folder: String) throws {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: root.appending(path: folder).path)
            for name in names.sorted() where !name.hasPrefix(".") {
                let path = folder.isEmpty ? name : folder + "/" + name
                var isFolder: ObjCBool = false
                guard
                    FileManager.default.fileExists(
                        atPath: root.appending(path: path).path, isDirectory: &isFolder)
                else { continue }
                if !isFolder.boolValue {
                    found.append(path)
                } else if !["out", "var", "__pycache__"].contains(name) {
                    try visit(path)
                }
            }
        }
        try visit("")
        return found
    }
}
