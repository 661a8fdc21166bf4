document.title = 'Souple';
