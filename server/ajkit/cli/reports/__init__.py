"""Problems as reports: text for people, JSON, SARIF, JUnit and annotations for machines."""
