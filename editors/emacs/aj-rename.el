;;; aj-rename.el --- Moving templates -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; When the file of a template moves, every base name that leads to it follows.

;;; Code:

(require 'aj-wire)
(require 'cl-lib)
(require 'seq)

(defun aj--apply (uri edits)
  "Make EDITS in the document URI, and leave it unsaved; its buffer."
  (with-current-buffer (find-file-noselect (aj--file uri))
    (let ((places (mapcar (lambda (edit)
                            (list (aj--point (aj--get edit "range" "start"))
                                  (aj--point (aj--get edit "range" "end"))
                                  (aj--get edit "newText")))
                          edits)))
      ;; From the last one on, so that the places of the others stay right.
      (save-excursion
        (pcase-dolist (`(,start ,end ,text) (seq-sort-by #'car #'> places))
          (goto-char start)
          (delete-region start end)
          (insert text))))
    (current-buffer)))

(defun aj--apply-all (edit)
  "Make the text edits of EDIT, a workspace edit; the buffers that it changed."
  (let ((changes (aj--get edit "changes")) found)
    (seq-doseq (each (aj--get edit "documentChanges"))
      (push (aj--apply (aj--get each "textDocument" "uri") (aj--get each "edits")) found))
    (if (hash-table-p changes)
        (maphash (lambda (uri edits) (push (aj--apply uri edits) found)) changes)
      (cl-loop for (uri edits) on changes by #'cddr
               do (push (aj--apply (substring (symbol-name uri) 1) edits) found)))
    found))

;;;###autoload
(defun aj-rename-file (name)
  "Move the file of this template to NAME; every base name to it follows.
NAME is relative to the file's folder.  Other files that change are not saved."
  (interactive (list (read-string "New name: " (file-name-nondirectory buffer-file-name))))
  (when (buffer-modified-p) (user-error "Save the file first"))
  (let* ((old buffer-file-name)
         (new (expand-file-name (if (string-match-p "\\.ya?ml\\'" name) name (concat name ".yaml"))))
         (files (list :files (vector (list :oldUri (aj--uri old) :newUri (aj--uri new))))))
    (when (file-exists-p new) (user-error "There is a file %s already" new))
    (aj--ask "workspace/willRenameFiles" files
             (lambda (edit)
               (let ((changed (remq (current-buffer) (aj--apply-all edit))))
                 (make-directory (file-name-directory new) t)
                 (rename-file old new)
                 (aj--tell "workspace/didRenameFiles" files)
                 (let ((edited (buffer-modified-p)))
                   (set-visited-file-name new t t)
                   (when edited (save-buffer)))
                 (message "aj: %s is %s now%s" (file-name-nondirectory old) (file-relative-name new)
                          (if changed
                              (format "; changed with it, and not saved: %s" (mapconcat #'buffer-name changed ", "))
                            "")))))))

(provide 'aj-rename)
;;; aj-rename.el ends here
